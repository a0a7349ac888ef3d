"""How well networks approximate: worst-case errors over the RKHS ball."""

from __future__ import annotations

from kernelspec.approximation.worst_case import WorstCaseError, worst_case_error

__all__ = ["WorstCaseError", "worst_case_error"]
