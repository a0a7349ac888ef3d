"""Run claims over a grid of parameters and collect one record for each."""

from __future__ import annotations

import hashlib
import itertools
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import joblib  # type: ignore[import-untyped]
import numpy as np
import scipy

import kernelspec
from validation.context import Budget, Context, Subject
from validation.records import Finding, Record, Verdict, judge_worst, weakest
from validation.registry import Claim

__all__ = ["Cell", "NotApplicable", "Outcome", "plan", "verify"]


@dataclass(frozen=True)
class Cell:
    """One claim with one set of parameters.

    Examples
    --------
    >>> from validation.registry import select
    >>> (cell,), _ = plan(select(["trace"]), [3], [1.0])
    >>> cell.claim.id, dict(cell.parameters)
    ('trace', {'d': 3})
    """

    claim: Claim
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class NotApplicable:
    """A claim that states nothing for a set of parameters, and why.

    Examples
    --------
    >>> NotApplicable("kappa0", {"d": 3, "tau": 0.5}, "stated for tau >= 1").reason
    'stated for tau >= 1'
    """

    id: str
    parameters: Mapping[str, float]
    reason: str


@dataclass(frozen=True)
class Outcome:
    """All records of a run, in the order of its plan, and what was left out of it.

    Examples
    --------
    >>> from validation.registry import select
    >>> len(verify(select(["trace"]), d=[3, 5]).records)
    2
    """

    records: tuple[Record, ...]
    not_applicable: tuple[NotApplicable, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return how many records came out with each verdict."""
        return {v.value: sum(r.verdict is v for r in self.records) for v in Verdict}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: that of the weakest record."""
        return weakest(record.verdict for record in self.records)


def plan(
    claims: Iterable[Claim], d: Sequence[int], tau: Sequence[float]
) -> tuple[list[Cell], list[NotApplicable]]:
    """Lay out the cells: each claim over the grid of the parameters it depends on.

    Examples
    --------
    >>> from validation.registry import select
    >>> cells, left_out = plan(select(["kappa0"]), [3, 5], [1.0])
    >>> [dict(cell.parameters) for cell in cells], left_out
    ([{'d': 3, 'tau': 1.0}, {'d': 5, 'tau': 1.0}], [])
    """
    values: dict[str, Sequence[float]] = {"d": d, "tau": tau}
    cells: list[Cell] = []
    left_out: list[NotApplicable] = []
    for claim in claims:
        for point in itertools.product(*(dict.fromkeys(values[name]) for name in claim.needs)):
            parameters = dict(claim.fixed) | dict(zip(claim.needs, point, strict=True))
            reason = claim.outside(parameters)
            if reason is None:
                cells.append(Cell(claim, parameters))
            else:
                left_out.append(NotApplicable(claim.id, parameters, reason))
    return cells, left_out


def verify(
    claims: Iterable[Claim],
    d: Sequence[int] = (3, 5),
    tau: Sequence[float] = (1.0, 10.0),
    *,
    subject: Subject | None = None,
    budget: Budget = "quick",
    seed: int = 0,
    jobs: int = 1,
    command: str = "",
    strict: bool = False,
    progress: Callable[[Record], None] | None = None,
) -> Outcome:
    """Check every claim for every set of parameters.

    Parameters
    ----------
    claims
        What to check (see `validation.registry.select`).
    d, tau
        The grid of parameters.
    subject
        The theorem and the feature family; the real ones by default.
    budget
        "quick" or "full": how far degrees, ridges and grids reach.
    seed
        Each cell's random stream is spawned from this number and the cell's own name, so numbers
        depend neither on the number of workers nor on which other claims run.
    jobs
        Worker processes; 1 runs in this one.
    command
        What was typed, kept in the records.
    strict
        Raise what a claim raises. By default such a claim comes out inconclusive with the reason.
    progress
        Called with each record as it is finished.

    Returns
    -------
    Outcome
        One record a cell, in the order of the plan whatever the number of workers.

    Examples
    --------
    >>> from validation.registry import select
    >>> outcome = verify(select(["trace"]), d=[3])
    >>> [(record.id, record.verdict.value) for record in outcome.records]
    [('trace', 'consistent')]
    """
    subject = subject or Subject()
    cells, left_out = plan(claims, d, tau)
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    tasks = (
        joblib.delayed(_numbered)(i, cell, subject, budget, seed, command, strict)
        for i, cell in enumerate(cells)
    )
    done: dict[int, Record] = {}
    for i, record in parallel(tasks):
        done[i] = record
        if progress is not None:
            progress(record)
    return Outcome(tuple(done[i] for i in range(len(cells))), tuple(left_out))


def versions() -> dict[str, str]:
    """Return the versions the numbers depend on."""
    return {
        "kernelspec": kernelspec.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _numbered(
    i: int, cell: Cell, subject: Subject, budget: Budget, seed: int, command: str, strict: bool
) -> tuple[int, Record]:
    return i, _check(cell, subject, budget, seed, command, strict)


def _stream(cell: Cell, seed: int) -> np.random.SeedSequence:
    name = f"{cell.claim.id} {sorted(cell.parameters.items())}"
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=tuple(np.frombuffer(digest[:16], "<u4").tolist()))


def _check(
    cell: Cell, subject: Subject, budget: Budget, seed: int, command: str, strict: bool
) -> Record:
    stream = _stream(cell, seed)
    try:
        found = cell.claim.check(Context(subject, cell.parameters, budget, stream))
        finding, verdict, margin = judge_worst([found] if isinstance(found, Finding) else found)
    except Exception as error:
        if strict:
            raise
        finding, verdict, margin = judge_worst([_stopped(error)])
    return Record(
        id=cell.claim.id,
        title=cell.claim.title,
        statement=cell.claim.statement,
        source=cell.claim.source,
        assumptions=cell.claim.assumptions,
        parameters=dict(cell.parameters),
        relation=finding.relation,
        predicted=float(finding.predicted),
        low=float(finding.low),
        high=float(finding.high),
        tolerance=finding.tolerance,
        margin=margin,
        method=finding.method,
        verdict=verdict,
        note=finding.note,
        details={name: float(value) for name, value in finding.details.items()},
        seed=(seed, *(int(word) for word in stream.spawn_key)),
        versions=versions(),
        command=command,
    )


def _stopped(error: Exception) -> Finding:
    reason = f"the check was stopped by {type(error).__name__}: {error}"
    return Finding(math.nan, "==", math.nan, math.nan, method="none: stopped", note=reason)
