"""Leverage and sampling mismatch on the points and neurons of one's own data."""

from kernelspec.empirical.pool import PoolLeverage, PoolSpectrum, pool_leverage, pool_spectrum

__all__ = ["PoolLeverage", "PoolSpectrum", "pool_leverage", "pool_spectrum"]
