"""Measure errors of three-layer networks and of two-layer random features of the same size.

All errors are exact L2 projection errors (`kernelspec.approximation.projection_error`), *squared*,
relative to E f^2. Only learning the directions uses samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, Uniform
from kernelspec.approximation import projection_error
from kernelspec.sphere import uniform_sphere
from validation.three_layer.block import Block
from validation.three_layer.learning import learn_directions, random_start
from validation.three_layer.settings import ThreeLayerSettings
from validation.three_layer.target import RidgeSum, wave_target
from validation.three_layer.theory import (
    additive_floor,
    error_bound,
    fixed_features_floor,
    spline_error,
)

__all__ = ["Cliff", "Rate", "measure_cliff", "measure_rate"]

Array = NDArray[np.float64]
BlockMaker = Callable[[int, int], Block]


@dataclass(frozen=True)
class Rate:
    """Squared relative L2 errors against the number of pieces, directions known.

    Attributes
    ----------
    pieces : ndarray, shape (m,)
        M.
    spacing : ndarray, shape (m,)
        h.
    trained : int
        First-layer neurons set to the target's directions; the others are random.
    error : ndarray, shape (targets, m)
        Of the three-layer network.
    predicted : ndarray, shape (targets, m)
        h^4/720 sum_i E G_i''^2, for trained = r.
    bound : ndarray, shape (targets, m)
        Proven bound, for trained = r.
    floor : ndarray, shape (targets,)
        What no M improves on: 0 for trained = r.

    Examples
    --------
    >>> from validation.three_layer import ThreeLayerSettings
    >>> rate = measure_rate(ThreeLayerSettings(d=5, r=2, pieces=(8, 16), targets=1))
    >>> rate.pieces, bool((rate.error < rate.bound).all())
    (array([ 8, 16]), True)
    """

    pieces: NDArray[np.int_]
    spacing: Array
    trained: int
    error: Array
    predicted: Array
    bound: Array
    floor: Array


@dataclass(frozen=True)
class Cliff:
    """Squared relative L2 errors against the number of trained first-layer neurons, 0 to r.

    Attributes
    ----------
    M : int
        Neurons of each block.
    oracle, learned, floor : ndarray, shape (targets, r + 1)
        Directions known; learned from samples; the floor of the former for blocks of any size.
    random_features : ndarray, shape (targets,)
        Two-layer random features and a constant, r (M + 1) neurons drawn uniformly on S^d.
    fixed_floor : ndarray, shape (targets,)
        Least mean error that as many fixed features, of whatever kind, leave.
    predicted, bound : ndarray, shape (targets,)
        As in `Rate`.
    random_starts : ndarray, shape (targets, starts)
        Errors after descents from random directions, without screening.

    Examples
    --------
    >>> from validation.three_layer import ThreeLayerSettings
    >>> settings = ThreeLayerSettings(
    ...     d=5, r=2, cliff_pieces=16, targets=1, samples=400, starts=1, random_starts=0
    ... )
    >>> cliff = measure_cliff(settings)
    >>> cliff.M, bool((cliff.floor <= cliff.oracle * (1 + 1e-9)).all())
    (16, True)
    """

    M: int
    oracle: Array
    learned: Array
    floor: Array
    random_features: Array
    fixed_floor: Array
    predicted: Array
    bound: Array
    random_starts: Array

    @property
    def success(self) -> float:
        """Share of random starts that end within twice the unsquared error of the oracle."""
        if not self.random_starts.size:
            return float("nan")
        return float(np.mean(self.random_starts <= 4 * self.oracle[:, -1:]))


@dataclass(frozen=True)
class _Draw:
    """A target with the random streams of everything around it."""

    target: RidgeSum
    untrained: Array
    features: np.random.Generator
    data: np.random.Generator
    search: np.random.Generator
    starts: np.random.Generator

    def error(self, block: Block, U: Array) -> float:
        """Squared relative error of the network with first-layer directions U."""
        return self._relative(block.neurons(U))

    def random_features(self, count: int) -> float:
        """Squared relative error of random features with a constant."""
        d = self.target.d
        V = Uniform(d).sample(count, self.features)
        return self._relative(np.vstack([V, np.eye(d + 1)[-1:]]))

    def _relative(self, V: Array) -> float:
        error = projection_error(BiasedReLU(self.target.d), V, self.target)
        return error / self.target.squared_norm


def _draws(settings: ThreeLayerSettings) -> list[_Draw]:
    """Spawn the streams by target and by purpose: none depends on how much another draws."""
    draws = []
    for child in np.random.SeedSequence(settings.seed).spawn(settings.targets):
        rngs = [np.random.default_rng(part) for part in child.spawn(6)]
        target = wave_target(settings.d, settings.r, settings.frequency, rngs[0])
        untrained = uniform_sphere(settings.d, settings.r, rngs[1])
        draws.append(_Draw(target, untrained, *rngs[2:]))
    return draws


def _mixed(draw: _Draw, trained: int) -> Array:
    return np.vstack([draw.target.centres[:trained], draw.untrained[trained:]])


def measure_rate(
    settings: ThreeLayerSettings,
    trained: int | None = None,
    *,
    make_block: BlockMaker = Block,
) -> Rate:
    """Measure the error against M with known directions.

    Parameters
    ----------
    settings : ThreeLayerSettings
        Its targets and `pieces`.
    trained : int, optional
        First-layer neurons set to directions of the target, r by default; the others are random.
    make_block : callable
        (d, M) -> Block, the second layer that is measured; predictions are for `Block`.

    Raises
    ------
    ValueError
        If `trained` is not a number from 0 to r.

    Examples
    --------
    >>> from validation.three_layer import ThreeLayerSettings
    >>> rate = measure_rate(ThreeLayerSettings(d=5, r=2, pieces=(8, 16), targets=1))
    >>> (rate.error / rate.predicted).round(2)
    array([[1.29, 1.07]])
    """
    from kernelspec import _checks

    k = settings.r if trained is None else _checks.integer("trained", trained, 0, settings.r)
    blocks = [Block(settings.d, M) for M in settings.pieces]
    draws = _draws(settings)
    norms = np.array([draw.target.squared_norm for draw in draws])[:, None]
    return Rate(
        pieces=np.array(settings.pieces),
        spacing=np.array([block.spacing for block in blocks]),
        trained=k,
        error=np.array(
            [
                [draw.error(make_block(settings.d, M), _mixed(draw, k)) for M in settings.pieces]
                for draw in draws
            ]
        ),
        predicted=np.array([[spline_error(x.target, block) for block in blocks] for x in draws])
        / norms,
        bound=np.array([[error_bound(x.target, block) for block in blocks] for x in draws]) / norms,
        floor=np.array([additive_floor(x.target, _mixed(x, k)) for x in draws]) / norms[:, 0],
    )


def measure_cliff(
    settings: ThreeLayerSettings,
    *,
    make_block: BlockMaker = Block,
    progress: Callable[[int], None] | None = None,
) -> Cliff:
    """Measure the error against the number of trained first-layer neurons.

    Parameters
    ----------
    settings : ThreeLayerSettings
        Targets, `cliff_pieces` and how directions are learned.
    make_block : callable
        As for `measure_rate`.
    progress : callable, optional
        Called with the number of targets done.

    Examples
    --------
    >>> from validation.three_layer import ThreeLayerSettings
    >>> settings = ThreeLayerSettings(
    ...     d=5, r=2, cliff_pieces=16, targets=1, samples=400, starts=1, random_starts=0
    ... )
    >>> cliff = measure_cliff(settings)
    >>> cliff.learned.shape, bool(cliff.learned[0, 2] < 0.01 * cliff.learned[0, 1])
    ((1, 3), True)
    """
    d, r, M = settings.d, settings.r, settings.cliff_pieces
    plain, block = Block(d, M), make_block(d, M)
    rows: dict[str, list[object]] = {name: [] for name in Cliff.__dataclass_fields__ if name != "M"}
    for i, draw in enumerate(_draws(settings)):
        f, norm = draw.target, draw.target.squared_norm
        rows["oracle"].append([draw.error(block, _mixed(draw, k)) for k in range(r + 1)])
        rows["floor"].append([additive_floor(f, _mixed(draw, k)) / norm for k in range(r + 1)])
        rows["learned"].append([draw.error(block, U) for U in _learned(draw, settings, plain)])
        rows["random_features"].append(draw.random_features(r * (M + 1)))
        rows["fixed_floor"].append(fixed_features_floor(f, r * (M + 1) + 1) / norm)
        rows["predicted"].append(spline_error(f, plain) / norm)
        rows["bound"].append(error_bound(f, plain) / norm)
        rows["random_starts"].append(
            [draw.error(block, U) for U in _started(draw, settings, plain)]
        )
        if progress is not None:
            progress(i + 1)
    return Cliff(M, **{name: np.array(values) for name, values in rows.items()})


def _learned(draw: _Draw, settings: ThreeLayerSettings, block: Block) -> list[Array]:
    """First layers with 0 to r learned directions, the others still random."""
    X = uniform_sphere(settings.d, settings.samples, draw.data)
    found = learn_directions(
        X,
        draw.target(X),
        settings.r,
        block,
        untrained=draw.untrained,
        starts=settings.starts,
        rng=draw.search,
    )
    grown = [np.vstack([U, draw.untrained[len(U) :]]) for U in found.path]
    return [draw.untrained, *grown]


def _started(draw: _Draw, settings: ThreeLayerSettings, block: Block) -> list[Array]:
    """Directions after descents from random ones, on data of their own."""
    X = uniform_sphere(settings.d, settings.samples, draw.starts)
    y = draw.target(X)
    return [
        random_start(X, y, settings.r, block, rng=draw.starts).directions
        for _ in range(settings.random_starts)
    ]
