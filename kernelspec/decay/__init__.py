"""How fast eigenvalues decay: exactly, from eigenvalues, from points, from features."""

from kernelspec.decay.exact import ExactDecay, exact_decay
from kernelspec.decay.from_features import estimate_decay_from_features
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
    "exact_decay",
]
