"""Leverage and sampling mismatch on the points and neurons of one's own data."""

from kernelspec.empirical.activations import Activation, activation, activation_names, features
from kernelspec.empirical.approximate import ApproximateLeverage, approximate_leverage
from kernelspec.empirical.estimate import empirical_mismatch
from kernelspec.empirical.extremes import Extremes
from kernelspec.empirical.layers import Direction, PartLaw, WeightsAndBias
from kernelspec.empirical.named import named_law, named_laws
from kernelspec.empirical.network import NetworkLeverage, network_leverage, neurons_of
from kernelspec.empirical.neurons import CustomLaw, NeuronLaw, OnSphere
from kernelspec.empirical.pool import PoolLeverage, pool_leverage
from kernelspec.empirical.results import EmpiricalMismatch, RidgeMismatch
from kernelspec.empirical.sampling import LeverageSample, leverage_sample
from kernelspec.empirical.spectrum import PoolSpectrum, pool_spectrum

__all__ = [
    "Activation",
    "ApproximateLeverage",
    "CustomLaw",
    "Direction",
    "EmpiricalMismatch",
    "Extremes",
    "LeverageSample",
    "NetworkLeverage",
    "NeuronLaw",
    "OnSphere",
    "PartLaw",
    "PoolLeverage",
    "PoolSpectrum",
    "RidgeMismatch",
    "WeightsAndBias",
    "activation",
    "activation_names",
    "approximate_leverage",
    "empirical_mismatch",
    "features",
    "leverage_sample",
    "named_law",
    "named_laws",
    "network_leverage",
    "neurons_of",
    "pool_leverage",
    "pool_spectrum",
]
