"""Every setting of a training experiment, checked before any work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kernelspec import _checks
from validation.settings import Settings, word
from validation.training.architecture import Architecture
from validation.training.data import TARGETS
from validation.training.schedule import Schedule

__all__ = ["METHODS", "PRESETS", "TrainingSettings", "as_toml"]

METHODS: Final = ("placed", "projection", "adam")


def _axis(name: str, value: Any, check: Callable[[Any], Any]) -> tuple[Any, ...]:
    entries = value if isinstance(value, (list, tuple)) else [value]
    checked = tuple(check(entry) for entry in entries)
    if not checked or len(set(checked)) < len(checked):
        raise ValueError(f"{name} = {value!r} is not allowed: one value or more, each once")
    return checked


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Settings):
    """A grid of networks to train: every target, depth, method, tau and P, `seeds` of each.

    A single value may stand for an axis of one value.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.
    width : int
        Neurons in each hidden layer.
    layers : tuple of int
        Numbers L of layers with weights, the readout included.
    order : int
        Order of the activation, 1 to 5.
    init : {"spherical", "he"}
        Law of the initial weights.
    tau : tuple of float
        Scales of the initial biases, > 0; kept in ascending order.
    P : tuple of float
        Trained proportions; kept in ascending order.
    targets : tuple of str
        Out of "rkhs" and "oscillatory".
    methods : tuple of str
        Out of "placed" (two layers only), "projection" and "adam".
    samples, test_samples : int
        Points of the fit and fresh points.
    seeds : int
        Networks for each combination, each with its own target and points; >= 2.
    seed : int
        Entropy of the whole experiment.
    pool : int
        Neurons to choose from for "placed", >= width.
    steps, rate, clip, chunk, precision, batch
        As in `Schedule`.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and the allowed range.

    Examples
    --------
    >>> settings = TrainingSettings(tau=[10, 1], methods="adam", seeds=3)
    >>> settings.tau, settings.networks
    ((1.0, 10.0), 36)
    """

    _of: ClassVar[str] = "training"

    d: int = 3
    width: int = 64
    layers: tuple[int, ...] = (2,)
    order: int = 1
    init: str = "spherical"
    tau: tuple[float, ...] = (1.0, 3.0, 10.0)
    P: tuple[float, ...] = (0.0, 1 / 32, 1 / 8, 1 / 4, 1 / 2, 1.0)
    targets: tuple[str, ...] = ("rkhs",)
    methods: tuple[str, ...] = METHODS
    samples: int = 1024
    test_samples: int = 8192
    seeds: int = 8
    seed: int = 0
    pool: int = 1024
    steps: int = 300
    rate: float = 1e-2
    clip: float = 1.0
    chunk: int = 50
    precision: str = "float64"
    batch: int | None = None

    def __post_init__(self) -> None:
        checked = {
            "layers": _axis("layers", self.layers, lambda v: _checks.integer("layers", v, 2, 100)),
            "tau": tuple(sorted(_axis("tau", self.tau, lambda v: _checks.positive("tau", v)))),
            "P": tuple(sorted(_axis("P", self.P, lambda v: _checks.proportion("P", v)))),
            "targets": _axis("targets", self.targets, lambda v: word("targets", v, TARGETS)),
            "methods": _axis("methods", self.methods, lambda v: word("methods", v, METHODS)),
            "samples": _checks.count("samples", self.samples),
            "test_samples": _checks.count("test_samples", self.test_samples, 2),
            "seeds": _checks.count("seeds", self.seeds, 2),
            "seed": _checks.count("seed", self.seed, 0),
            "pool": _checks.count("pool", self.pool, _checks.count("width", self.width)),
        }
        self._set(checked)
        for layers in self.layers:
            self.architecture(layers)
        for method in self.methods:
            self.schedule(method)
        if "placed" in self.methods and self.layers != (2,):
            raise ValueError(
                f"methods = {self.methods!r} is not allowed with layers = {self.layers!r}: neurons "
                "are placed in two-layer networks only"
            )

    def architecture(self, layers: int) -> Architecture:
        """Return the network of one depth."""
        return Architecture(self.d, self.width, layers, self.order, self.init)

    def schedule(self, method: str) -> Schedule:
        """Return how one method trains: placed neurons are refined by variable projection."""
        return Schedule(
            objective="adam" if method == "adam" else "projection",
            steps=self.steps,
            rate=self.rate,
            clip=self.clip,
            chunk=self.chunk,
            precision=self.precision,
            batch=self.batch,
        )

    @property
    def networks(self) -> int:
        """Number of networks that are trained at once: every tau and P, `seeds` times."""
        return len(self.tau) * len(self.P) * self.seeds


def as_toml(settings: TrainingSettings) -> str:
    """Write settings as a TOML file that gives them back; what is left to the machine is left out.

    Examples
    --------
    >>> print(as_toml(TrainingSettings(tau=1))[:58])
    d = 3
    width = 64
    layers = [2]
    order = 1
    init = "spherical"
    """
    lines = []
    for name, value in settings.as_dict().items():
        if value is not None:
            entries = [_literal(entry) for entry in value] if isinstance(value, list) else None
            text = _literal(value) if entries is None else f"[{', '.join(entries)}]"
            lines.append(f"{name} = {text}")
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


PRESETS: Final = {
    "two-layer": TrainingSettings(),
    "deep": TrainingSettings(
        width=32,
        layers=(3, 5, 10, 15),
        init="he",
        tau=(0.1, 0.3, 1.0),
        P=(0.0, 1 / 16, 1 / 4, 1 / 2, 1.0),
        targets=TARGETS,
        methods=("adam",),
        samples=512,
        steps=400,
        rate=1e-2,
        seeds=5,
        pool=32,
    ),
}
