"""Training: how much more than its matrix products a step costs, and a grid against a loop."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from validation.training import Architecture, Schedule, initial_weights, stack, trainable_neurons
from validation.training.extra import available, precision

NETWORKS, POINTS, DIMENSION = 32, 1024, 3
SIZES = {  # width, layers, steps in one program
    "two-layer": (64, 2, 20),
    "deep": (32, 15, 5),
    "wide": (256, 4, 2),
}


def _best(*works, repeats=3):
    """Least seconds of each of several works, taken in turns: a busy machine hits all alike."""
    times = [[] for _ in works]
    for _ in range(repeats):
        for work, own in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            own.append(time.perf_counter() - start)
    return [min(own) for own in times]


class _Problem:
    """32 networks on 1024 points, half of the neurons trained."""

    def __init__(self, kind, size="wide"):
        width, self.layers, self.chunk = SIZES[size]
        self.schedule = Schedule(steps=self.chunk * 100, chunk=self.chunk, precision=kind)
        self.architecture = Architecture(DIMENSION, width, self.layers)
        dtype = np.dtype(kind)
        drawn = stack([initial_weights(self.architecture, 1.0, s) for s in range(NETWORKS)])
        self.kernels = [W.astype(dtype) for W in drawn.kernels]
        self.biases = [b.astype(dtype) for b in drawn.biases]
        self.readout = drawn.readout.astype(dtype)
        self.weights = drawn._replace(
            kernels=tuple(self.kernels), biases=tuple(self.biases), readout=self.readout
        )
        self.masks = np.concatenate(
            [trainable_neurons(self.architecture, [0.5], s) for s in range(NETWORKS)]
        )
        X = np.random.default_rng(0).standard_normal((1, POINTS, DIMENSION))
        X /= np.linalg.norm(X, axis=2)[:, :, None]
        self.X, self.y = X.astype(dtype), np.sin(5 * X[:, :, 0]).astype(dtype)

    def training(self, batch, networks=NETWORKS):
        """Return a function that takes a chunk of steps of the first networks in one program."""
        import jax

        from validation.training.program import chunk_program, initial_state

        schedule = replace(self.schedule, batch=batch)
        program = chunk_program(self.architecture, schedule, batch)
        some = jax.tree.map(lambda leaf: leaf[:networks], self.weights)
        held = [jax.tree.map(jax.numpy.array, initial_state(some, schedule))]
        data = [self.masks[:networks], np.zeros(networks, np.int32), self.X, self.y]
        data = [jax.numpy.asarray(array) for array in data]

        def work():
            held[0], losses = program(held[0], *data)
            jax.block_until_ready((held[0], losses))

        work()
        return work

    def products(self):
        """Return a function for the products of these steps: forward and backward, nothing else."""
        import jax

        def one(arguments):
            kernels, readout, X = arguments
            # the fastest way there is: one column a point, the weights transposed and written out
            forward = [X.T]
            for W in kernels:
                forward.append(jax.lax.optimization_barrier(W.T) @ forward[-1])
            back = readout[:, None] * (readout @ forward[-1])
            gradients = []
            for i in reversed(range(len(kernels))):
                gradients.append(forward[i] @ back.T)
                if i:
                    back = kernels[i] @ back
            return gradients

        X = jax.numpy.asarray(self.X[0])
        ones = jax.numpy.ones_like(jax.numpy.asarray(self.readout))
        kernels = [jax.numpy.asarray(W) for W in self.kernels]
        program = jax.jit(lambda W, c: jax.lax.map(lambda own: one((own[0], own[1], X)), (W, c)))

        def work():
            for _ in range(self.chunk):
                jax.block_until_ready(program(kernels, ones))

        work()
        return work


class TrainingStep:
    """A step of 32 networks of width 256, four layers, 1024 points."""

    params = ["float64", "float32"]
    param_names = ["precision"]
    timeout = 300

    def setup(self, kind):
        if not available():
            raise NotImplementedError  # asv skips: the extra is not installed

    def track_step_over_its_products(self, kind):
        """To stay below 2."""
        with precision(kind == "float64"):
            problem = _Problem(kind)
            step, products = _best(problem.training(1), problem.products())
        return step / products

    def track_batched_over_one_by_one(self, kind):
        """Why a CPU takes the networks one by one: above 1, batched products are slower."""
        with precision(kind == "float64"):
            problem = _Problem(kind)
            batched, single = _best(problem.training(NETWORKS), problem.training(1), repeats=3)
        return batched / single

    def track_loop_over_grid(self, kind):
        """A loop that trains one network after another with its own program calls."""
        with precision(kind == "float64"):
            problem = _Problem(kind)
            one = problem.training(1, networks=1)

            def loop():
                for _ in range(NETWORKS):
                    one()

            grid, single = _best(problem.training(1), loop, repeats=3)
        return single / grid


class AgainstTorch:
    """The grid against a loop over networks in PyTorch, where that is installed.

    Two-layer and deep are the sizes of `kernelspec train`; the wide one is bound by its products.
    """

    params = [["float64", "float32"], list(SIZES)]
    param_names = ["precision", "size"]
    timeout = 300

    def setup(self, kind, size):
        try:
            import torch  # noqa: F401
        except ImportError:
            raise NotImplementedError from None  # asv skips
        if not available():
            raise NotImplementedError

    def track_torch_loop_over_grid(self, kind, size):
        import torch

        problem = _Problem(kind, size)
        hidden = problem.layers - 1
        X, y = torch.from_numpy(problem.X[0]), torch.from_numpy(problem.y[0])

        def network(i):
            leaves = [*(W[i] for W in problem.kernels), *(b[i] for b in problem.biases)]
            leaves = [torch.from_numpy(leaf.copy()) for leaf in [*leaves, problem.readout[i]]]
            masks = [torch.from_numpy(problem.masks[i, j]) for j in range(hidden)]
            for leaf in leaves:
                leaf.requires_grad_()
            return leaves, [*masks, *masks, None], torch.optim.Adam(leaves, lr=1e-2)

        networks = [network(i) for i in range(NETWORKS)]

        def loop():
            for leaves, masks, optimiser in networks:
                for _ in range(problem.chunk):
                    optimiser.zero_grad()
                    H = X
                    for W, b in zip(leaves[:hidden], leaves[hidden:-1], strict=True):
                        H = torch.relu(H @ W + b)
                    torch.mean((H @ leaves[-1] - y) ** 2).backward()
                    for leaf, mask in zip(leaves, masks, strict=True):
                        if mask is not None:
                            leaf.grad.mul_(mask)
                    torch.nn.utils.clip_grad_norm_(leaves, problem.schedule.clip)
                    optimiser.step()

        loop()
        with precision(kind == "float64"):
            grid, other = _best(problem.training(1), loop, repeats=3)
        return other / grid
