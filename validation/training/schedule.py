"""How a network is trained: the objective, the steps, their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kernelspec import _checks
from validation.settings import word

__all__ = ["OBJECTIVES", "PRECISIONS", "Schedule"]

OBJECTIVES: Final = ("adam", "projection")
PRECISIONS: Final = ("float64", "float32")


@dataclass(frozen=True, kw_only=True)
class Schedule:
    r"""Full-batch Adam with a cosine decay of the step size and a clipped gradient.

    Parameters
    ----------
    objective : {"adam", "projection"}
        "adam" trains neurons and readout together on the mean squared error; "projection" is
        variable projection (Golub & Pereyra, SIAM J. Numer. Anal. 10, 1973): at every step the
        readout is the least-squares one, and the neurons follow the gradient of what is left.
    steps : int
        Steps, >= 1, a multiple of `chunk`.
    rate : float
        First step size of Adam (Kingma & Ba, 2015), > 0; it decays to 0 as a cosine.
    clip : float
        Largest norm of a network's gradient over all trained weights, > 0; longer ones are scaled.
    chunk : int
        Steps between two looks at the losses, and two checkpoints.
    precision : {"float64", "float32"}
        Of the training; errors are always evaluated in float64.
    batch : int, optional
        Networks whose steps are taken as one batch of matrix products. By default one at a time on
        a CPU, where the compiler's batched product is the slower one, and all of them elsewhere.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and the allowed range.

    Examples
    --------
    >>> Schedule(steps=1000).ridge
    1e-10
    """

    objective: str = "adam"
    steps: int = 1000
    rate: float = 1e-2
    clip: float = 1.0
    chunk: int = 50
    precision: str = "float64"
    batch: int | None = None

    def __post_init__(self) -> None:
        word("objective", self.objective, OBJECTIVES)
        word("precision", self.precision, PRECISIONS)
        checked = {
            "steps": _checks.count("steps", self.steps),
            "rate": _checks.positive("rate", self.rate),
            "clip": _checks.positive("clip", self.clip),
            "chunk": _checks.count("chunk", self.chunk),
            "batch": None if self.batch is None else _checks.count("batch", self.batch),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.steps % self.chunk:
            raise ValueError(
                f"steps = {self.steps} is not allowed: a multiple of chunk = {self.chunk}"
            )

    @property
    def double(self) -> bool:
        """Whether training runs in float64."""
        return self.precision == "float64"

    @property
    def ridge(self) -> float:
        """Ridge of variable projection on features of unit norm, above rounding of the Gram."""
        return 1e-10 if self.double else 1e-4
