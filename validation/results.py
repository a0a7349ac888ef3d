"""The results file: every record of a run as JSON, by a versioned schema.

The schema is described in `docs/results-schema.md`; a change that could break a reader needs a
new number in `SCHEMA`.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, Final

from validation.records import Record, Verdict, worst_first
from validation.verify import Outcome, versions

__all__ = ["EXIT_STATUS", "SCHEMA", "as_json", "document"]

SCHEMA: Final = "kernelspec-results/1"

EXIT_STATUS: Final = {
    Verdict.CERTIFIED: 0,
    Verdict.CONSISTENT: 0,
    Verdict.REFUTED: 1,
    Verdict.INCONCLUSIVE: 3,
}


def document(
    outcome: Outcome, *, command: str, seed: int, budget: str, created: str, seconds: float
) -> dict[str, Any]:
    """Return the results of a run as plain data, worst margin first.

    Examples
    --------
    >>> from validation.registry import select
    >>> from validation.verify import verify
    >>> outcome = verify(select(["trace"]), d=[3, 5])
    >>> facts = {"command": "kernelspec verify", "seed": 0, "budget": "quick"}
    >>> data = document(outcome, **facts, created="2026-01-01T00:00:00Z", seconds=1.0)
    >>> data["schema"], data["verdict"], data["exit_status"]
    ('kernelspec-results/1', 'consistent', 0)
    >>> [record["parameters"]["d"] for record in data["records"]]
    [5, 3]
    """
    return {
        "schema": SCHEMA,
        "created": created,
        "seconds": round(seconds, 3),
        "command": command,
        "seed": seed,
        "budget": budget,
        "versions": versions(),
        "verdict": outcome.verdict.value,
        "exit_status": EXIT_STATUS[outcome.verdict],
        "counts": outcome.counts(),
        "records": [_record(record) for record in worst_first(outcome.records)],
        "not_applicable": [dataclasses.asdict(item) for item in outcome.not_applicable],
    }


def _record(record: Record) -> dict[str, Any]:
    # The run as a whole states these once.
    return {
        name: value
        for name, value in dataclasses.asdict(record).items()
        if name not in {"versions", "command"}
    }


def as_json(data: Any) -> str:
    """Write plain data as JSON, with numbers that JSON lacks as "inf", "-inf" and "nan".

    Examples
    --------
    >>> print(as_json({"low": 1.5, "high": float("inf")}))
    {
      "low": 1.5,
      "high": "inf"
    }
    """
    return json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    return data
