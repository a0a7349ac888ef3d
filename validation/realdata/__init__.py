"""Worked examples on data sets at hand: what the theory recommends, and whether it helps."""
