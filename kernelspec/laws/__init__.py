"""Sampling laws of neurons on S^d, with densities relative to the uniform law."""

from kernelspec.laws.base import Law
from kernelspec.laws.gaussian import GaussianInit
from kernelspec.laws.mixture import Mixture
from kernelspec.laws.ridge_leverage import RidgeLeverage
from kernelspec.laws.uniform import Uniform
from kernelspec.laws.uniform_bias import UniformBias

__all__ = ["GaussianInit", "Law", "Mixture", "RidgeLeverage", "Uniform", "UniformBias"]
