"""The compiled program that trains a whole grid of networks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from validation.training.architecture import Architecture, Weights
from validation.training.schedule import Schedule

__all__ = ["chunk_program", "initial_state"]

# JAX is imported inside the functions: without the extra, everything else goes on working.


@lru_cache(maxsize=1)
def _product() -> Callable[[Any, Any], Any]:
    """W'H of a layer's weights and the features before it, (in, out) and (in, n).

    A CPU's library takes twice as long where a product in double precision has it sum over the rows
    of its first factor. With one column a point only the weights, the smaller factor, would have
    to be transposed for that, and they are written out; the derivatives need no such sum.
    """
    import jax

    def value(W: Any, H: Any) -> Any:
        # without the barrier the compiler folds the transpose into the product again
        return jax.lax.optimization_barrier(W.T) @ H

    def forward(W: Any, H: Any) -> tuple[Any, Any]:
        return value(W, H), (W, H)

    def backward(kept: Any, G: Any) -> tuple[Any, Any]:
        W, H = kept
        return H @ G.T, W @ G

    product = jax.custom_vjp(value)
    product.defvjp(forward, backward)
    return product  # type: ignore[no-any-return]


def _features(weights: Weights, X: Any, order: int) -> Any:
    """Features (width, n) of the last layer at the points X (d, n)."""
    import jax

    product = _product()
    H = X
    for kernel, bias in zip(weights.kernels, weights.biases, strict=True):
        H = jax.nn.relu(product(kernel, H) + bias[:, None])
        H = H if order == 1 else H**order
    return H


def _joint_loss(weights: Weights, X: Any, y: Any, order: int) -> Any:
    import jax.numpy as jnp

    return jnp.mean((weights.readout @ _features(weights, X, order) - y) ** 2)


def _projected_loss(weights: Weights, X: Any, y: Any, order: int, ridge: float) -> Any:
    """Minimum over c of |y - c A|^2 + ridge |c|^2 over n, A of rows scaled to norm 1.

    Where c is the minimum, the derivative of the value does not see how c moves, so c is held.
    """
    import jax
    import jax.numpy as jnp

    H = _features(weights, X, order)
    squared = jnp.sum(H * H, axis=1)
    alive = squared > 0
    A = H * jnp.where(alive, 1 / jnp.sqrt(jnp.where(alive, squared, 1.0)), 0.0)[:, None]
    held = jax.lax.stop_gradient(A)
    gram = held @ held.T + ridge * jnp.eye(held.shape[0], dtype=held.dtype)
    c = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(gram), held @ y)
    return (jnp.sum((y - c @ A) ** 2) + ridge * jnp.sum(c * c)) / y.size


def _optimiser(schedule: Schedule) -> Any:
    import optax

    decay = optax.cosine_decay_schedule(schedule.rate, schedule.steps)
    return optax.chain(optax.clip_by_global_norm(schedule.clip), optax.adam(decay))


def initial_state(weights: Weights, schedule: Schedule) -> Any:
    """Return what the program carries from step to step: weights and Adam's moments.

    Examples
    --------
    Two networks of eight neurons in a stack, and Adam's moments beside them:

    >>> from validation.training.architecture import initial_weights
    >>> from validation.training.trainer import stack
    >>> net = Architecture(3, width=8)
    >>> networks = stack([initial_weights(net, 1.0, rng=seed) for seed in range(2)])
    >>> weights, moments = initial_state(networks, Schedule(steps=1, chunk=1))
    >>> weights.kernels[0].shape, weights.readout.shape
    ((2, 3, 8), (2, 8))
    >>> import jax
    >>> sorted({leaf.shape for leaf in jax.tree.leaves(moments)})
    [(2,), (2, 3, 8), (2, 8)]
    """
    import jax

    return weights, jax.vmap(_optimiser(schedule).init)(weights)


def _whole_mask(architecture: Architecture, neurons: Any) -> Weights:
    """Spread a mask of neurons (L-1, width) over the weights; the readout is trained always."""
    import jax.numpy as jnp

    rows = tuple(neurons[i] for i in range(architecture.hidden))
    return Weights(rows, rows, jnp.ones(architecture.width, dtype=bool))


@lru_cache(maxsize=16)
def chunk_program(
    architecture: Architecture, schedule: Schedule, batch: int
) -> Callable[[Any, Any, Any, Any, Any], tuple[Any, Any]]:
    """Compile `schedule.chunk` steps of any number of networks.

    Each network is its own problem, with its own clipping, moments and, should it diverge, NaN. The
    program maps one network's steps over all of them, `batch` at a time as batched products.

    Returns
    -------
    callable
        (state, neurons, which, X, y) -> (state, losses): `neurons` (G, L-1, width) the masks,
        `which` (G,) the data set of each network out of X (S, n, d) and y (S, n), losses (G, chunk)
        before each step. The state's buffers are given away and must not be used again.

    Examples
    --------
    Two steps for one network of eight neurons, of which the first four are trained:

    >>> import jax
    >>> import numpy as np
    >>> from validation.training.architecture import initial_weights
    >>> from validation.training.extra import precision
    >>> from validation.training.trainer import stack
    >>> net, schedule = Architecture(3, width=8), Schedule(steps=2, chunk=2)
    >>> start = stack([initial_weights(net, 1.0, rng=0)])
    >>> X = np.random.default_rng(1).standard_normal((1, 20, 3))
    >>> neurons = np.arange(8)[None, None] < 4
    >>> with precision(schedule.double):
    ...     state = jax.tree.map(jax.numpy.asarray, initial_state(start, schedule))
    ...     program = chunk_program(net, schedule, 1)
    ...     (weights, _), losses = program(state, neurons, np.zeros(1, np.int32), X, X[..., 0])
    >>> losses.shape, bool(losses[0, 1] < losses[0, 0])
    ((1, 2), True)
    >>> (np.asarray(weights.biases[0]) != start.biases[0]).astype(int)
    array([[1, 1, 1, 1, 0, 0, 0, 0]])
    """
    import jax
    import jax.numpy as jnp
    import optax

    optimiser = _optimiser(schedule)
    order = architecture.order

    def loss(weights: Weights, X: Any, y: Any) -> Any:
        if schedule.objective == "projection":
            return _projected_loss(weights, X, y, order, schedule.ridge)
        return _joint_loss(weights, X, y, order)

    def train_one(state: Any, neurons: Any, X: Any, y: Any) -> tuple[Any, Any]:
        mask = _whole_mask(architecture, neurons)
        X = X.T

        def held(tree: Any) -> Any:
            # a choice, not a product: 0 times NaN would reach the frozen weights
            return jax.tree.map(lambda m, g: jnp.where(m, g, 0), mask, tree)

        def step(carry: Any, _: Any) -> tuple[Any, Any]:
            weights, moments = carry
            value, gradient = jax.value_and_grad(loss)(weights, X, y)
            update, moments = optimiser.update(held(gradient), moments)
            return (optax.apply_updates(weights, held(update)), moments), value

        return jax.lax.scan(step, state, length=schedule.chunk)  # type: ignore[no-any-return]

    def train_all(state: Any, neurons: Any, which: Any, X: Any, y: Any) -> tuple[Any, Any]:
        def one(arguments: Any) -> tuple[Any, Any]:
            own, mask, i = arguments
            return train_one(own, mask, X[i], y[i])

        size = None if batch == 1 else batch
        return jax.lax.map(one, (state, neurons, which), batch_size=size)  # type: ignore[no-any-return]

    return jax.jit(train_all, donate_argnums=(0,))  # type: ignore[no-any-return]
