"""Proofs by computer: ball arithmetic (python-flint) instead of floating point.

Nothing here is imported by `import kernelspec`; the modules load python-flint themselves.
"""
