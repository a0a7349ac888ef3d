"""Data of the user: matrices in files and the data sets that scikit-learn brings along."""

from validation.data.bundled import Data, bundled, bundled_names
from validation.data.files import read_arrays, read_matrix, read_vector
from validation.data.load import load

__all__ = [
    "Data",
    "bundled",
    "bundled_names",
    "load",
    "read_arrays",
    "read_matrix",
    "read_vector",
]
