"""Numbers and parameters as people read them: shared by the table and the report."""

from __future__ import annotations

import math
from collections.abc import Mapping

from validation.records import Record

__all__ = ["claimed", "interval", "margin", "number", "parameters"]


def number(x: float, digits: int = 6) -> str:
    """Write a number to some significant digits.

    Examples
    --------
    >>> number(6.599663291, 6), number(1e-9), number(float("inf"))
    ('6.59966', '1e-09', 'inf')
    """
    return f"{x:.{digits}g}"


def interval(low: float, high: float) -> str:
    """Write an interval: one number where six digits cannot tell its ends apart.

    Examples
    --------
    >>> interval(2.0000001, 2.0000002), interval(1.9, 2.1)
    ('2', '1.9 … 2.1')
    """
    if math.isnan(low) or math.isnan(high):
        return "none"
    first, last = number(low), number(high)
    return first if first == last else f"{first} … {last}"


def claimed(record: Record) -> str:
    """Write what a record claims: relation, value and tolerance.

    The tolerance is relative in the record and absolute here, beside the value.

    Examples
    --------
    >>> from validation.registry import select
    >>> from validation.verify import verify
    >>> (record,) = verify(select(["trace"]), d=[3]).records
    >>> claimed(record)
    '= 0.25 ± 3e-11'
    """
    symbol = {"<=": "≤", ">=": "≥", "==": "="}[record.relation]
    if math.isnan(record.predicted):
        return "none"
    text = f"{symbol} {number(record.predicted)}"
    if record.relation == "==" and record.tolerance:
        text += f" ± {number(record.tolerance * (abs(record.predicted) or 1.0), 1)}"
    return text


def margin(x: float) -> str:
    """Write a margin in percent.

    Examples
    --------
    >>> margin(0.5), margin(0.00012), margin(-1234.5), margin(float("nan"))
    ('+50.0 %', '+0.012 %', '-1.2e+05 %', 'none')
    """
    if math.isnan(x):
        return "none"
    percent = 100 * x
    if abs(percent) >= 1e4:
        return f"{percent:+.1e} %"
    return f"{percent:+.1f} %" if abs(percent) >= 1 else f"{percent:+.2g} %"


def parameters(values: Mapping[str, float], separator: str = ", ") -> str:
    """Write parameters as `name = value`, in their order.

    Examples
    --------
    >>> parameters({"d": 5, "tau": 10.0, "smallest_ridge": 1e-6})
    'd = 5, tau = 10, smallest ridge = 1e-06'
    """
    named = ((name.replace("_", " "), number(value)) for name, value in values.items())
    return separator.join(f"{name} = {value}" for name, value in named)
