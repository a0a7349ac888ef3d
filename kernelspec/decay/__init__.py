"""How fast eigenvalues decay: exactly, from eigenvalues, from points, features or neurons."""

from kernelspec.decay.exact import ExactDecay, exact_decay
from kernelspec.decay.from_features import estimate_decay_from_features
from kernelspec.decay.from_neurons import estimate_decay_from_neurons
from kernelspec.decay.gram import estimate_decay_from_gram, estimate_decay_from_kernel
from kernelspec.decay.ranks import estimate_decay
from kernelspec.decay.result import DecayEstimate

__all__ = [
    "DecayEstimate",
    "ExactDecay",
    "estimate_decay",
    "estimate_decay_from_features",
    "estimate_decay_from_gram",
    "estimate_decay_from_kernel",
    "estimate_decay_from_neurons",
    "exact_decay",
]
