from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from validation.data import read_arrays, read_matrix, read_vector

X = np.array([[1.0, -2.5, 3e-8], [4.0, 5.25, 6e12]])


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " ", "   "])
@pytest.mark.parametrize("header", ["", "a{0}b{0}c\n", "# comment\n\n", "1{0}b{0}3\n"])
def test_text_is_read_with_any_delimiter_and_header(
    tmp_path: Path, delimiter: str, header: str
) -> None:
    rows = "\n".join(delimiter.join(repr(float(x)) for x in row) for row in X)
    path = written(tmp_path / "x.csv", header.format(delimiter) + rows + "\n")
    np.testing.assert_array_equal(read_matrix(path), X)


def test_quotes_and_a_byte_order_mark_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'\xef\xbb\xbf"first, second","b"\r\n"1.5",2\r\n')
    np.testing.assert_array_equal(read_matrix(path), [[1.5, 2.0]])


@given(
    st.integers(1, 4).flatmap(
        lambda d: st.lists(
            st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=d, max_size=d),
            min_size=1,
            max_size=5,
        )
    )
)
@example([[0.0]])
@example([[1.0, 1.7e308], [2.0, -1.7e308]])  # their difference is no number
@example([[-0.0, 5e-324], [1.7976931348623157e308, 1.0]])
def test_what_is_written_is_read_bit_for_bit(rows: list[list[float]]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        path = written(Path(name) / "x.txt", "\n".join(",".join(map(repr, r)) for r in rows))
        np.testing.assert_array_equal(read_matrix(path), np.array(rows))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.bool_])
def test_numpy_files_become_float64(tmp_path: Path, dtype: type) -> None:
    values = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    np.save(tmp_path / "x.npy", values)
    np.savez(tmp_path / "x.npz", values)
    for suffix in ("npy", "npz"):
        read = read_matrix(tmp_path / f"x.{suffix}")
        assert read.dtype == np.float64
        np.testing.assert_array_equal(read, values)


def test_an_array_is_picked_by_its_key(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, W=X, b=X[0])
    assert list(read_arrays(path)) == ["W", "b"]
    np.testing.assert_array_equal(read_matrix(path, "W"), X)
    np.testing.assert_array_equal(read_vector(path, "b"), X[0])
    with pytest.raises(
        ValueError, match=r"holds several arrays, name one of them by its key: W, b"
    ):
        read_matrix(path)
    with pytest.raises(ValueError, match=r"holds no array 'w', but: W, b"):
        read_matrix(path, "w")


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1)])
def test_a_vector_is_one_row_or_one_column(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "v.npy", np.arange(3.0).reshape(shape))
    np.testing.assert_array_equal(read_vector(tmp_path / "v.npy"), [0, 1, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no data: it is empty"),
        ("\n# only a comment\n", "holds no data: it is empty"),
        ("a,b\n", "holds no data: only a header"),
        (
            "a,b,c\n1,x,3\n2,y,z\n",
            "holds columns that are not numbers: b ('x' in row 1), c ('z' in row 2)",
        ),
        ("1,x,3\n2,y,4\n", "holds columns that are not numbers: column 2 ('x' in row 1)"),
        ("a,b\n1,0.5\n,\n3,NA\n", "not numbers: b ('NA' in row 3)"),
        ("a,b\n1,2\n1_5,3\n", "not numbers: a ('1_5' in row 2)"),
        ("a;b\n1;0,5\n2;0,7\n", "not numbers: b ('0,5' in row 1)"),
        ("1,2\n3\n", "row 2 holds 1 cells, the first line 2"),
        ("a,b\n1,2\n3,\n", "holds NaN or nothing in row 2, b: finite numbers"),
        ("1,2\n3,nan\nnan,4\n", "holds NaN or nothing in row 2, column 2: finite numbers"),
        ("1,2\n3,-inf\n", "holds -inf in row 2, column 2: finite numbers"),
        ("a,b\n1,2\n", "holds 1 rows of 2 numbers: at least 2 rows are needed"),
        ("a,b,c\n7,1,0\n7,2,0\n", "holds constant columns, remove them: a, c"),
    ],
)
def test_bad_text_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "bad.csv", text)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_matrix(path, min_rows=2, allow_constant=False)
    assert str(caught.value).startswith(repr(str(path)))
    assert "\n" not in str(caught.value)


def test_constant_columns_pass_where_they_are_allowed(tmp_path: Path) -> None:
    assert read_matrix(written(tmp_path / "x.csv", "7,1\n7,2\n")).shape == (2, 2)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([[1, "a"]], dtype=object), "holds Python objects"),
        (np.array([["a", "b"]]), r"holds (an array|array 'arr_0') of type <U1, not real numbers"),
        (np.array([[1j]]), r"holds (an array|array 'arr_0') of type complex128, not real numbers"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), r"of type datetime64\[D\], not real"),
        (np.zeros(3), r"holds an array of shape \(3,\): a matrix of shape \(n, d\)"),
        (np.zeros((2, 2, 2)), r"holds an array of shape \(2, 2, 2\)"),
        (np.zeros((0, 2)), "holds 0 rows of 2 numbers"),
        (np.zeros((2, 0)), "holds 2 rows of 0 numbers"),
        (np.array([[0.0, np.inf]]), "holds inf in row 1, column 2"),
        (np.array([[0.0, np.nan]]), "holds NaN in row 1, column 2"),
    ],
)
def test_bad_arrays_are_refused(tmp_path: Path, array: np.ndarray, message: str) -> None:
    np.save(tmp_path / "bad.npy", array, allow_pickle=True)
    np.savez(tmp_path / "bad.npz", array)
    for suffix in ("npy", "npz"):
        with pytest.raises(ValueError, match=message) as caught:
            read_matrix(tmp_path / f"bad.{suffix}")
        assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY\x01")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "other.npy").write_bytes(b"plain text")
    (tmp_path / "latin.csv").write_bytes(b"\xe9,\xe8\n1,2\n")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    np.savez(tmp_path / "none.npz")
    np.save(tmp_path / "array.npy", X)
    (tmp_path / "array.npy").rename(tmp_path / "array.npz")
    (tmp_path / "archive.npy").write_bytes((tmp_path / "none.npz").read_bytes())
    for name, message in {
        "missing.csv": "cannot be read: No such file or directory",
        "folder.csv": "it is a directory",
        "x.parquet": r"its name must end in \.csv, \.tsv, \.txt, \.npy, \.npz",
        "broken.npy": "cannot be read",
        "broken.npz": "cannot be read",
        "other.npy": "it holds Python objects or is no numpy file",
        "latin.csv": "it is no text in UTF-8",
        "none.npz": "no array in it",
        "array.npz": "it is no NPZ archive",
        "archive.npy": "it is no NPY file",
    }.items():
        with pytest.raises(ValueError, match=message) as caught:
            read_matrix(tmp_path / name)
        assert str(caught.value).startswith(repr(str(tmp_path / name)))
        assert "\n" not in str(caught.value)


def test_keys_belong_to_archives(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no array 'W': only NPZ files hold arrays by name"):
        read_matrix(written(tmp_path / "x.csv", "1,2\n"), "W")


def test_what_does_not_fit_into_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelspec._memory.available_memory", lambda: 10.0)
    with pytest.raises(ValueError, match=r"cannot be read: reading it needs about .* GiB"):
        read_matrix(written(tmp_path / "x.csv", "1,2\n3,4\n"))


def test_only_the_wanted_array_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, allow_pickle=True, X=X, names=np.array(["a", None], dtype=object))
    np.testing.assert_array_equal(read_matrix(path, "X"), X)
    with pytest.raises(ValueError, match="holds Python objects"):
        read_arrays(path)


@pytest.mark.parametrize("values", [[[1.0, 2.0], [3.0, 4.0]], 3.0])
def test_a_vector_has_one_row_or_column(tmp_path: Path, values: object) -> None:
    np.save(tmp_path / "v.npy", np.asarray(values))
    with pytest.raises(ValueError, match="one row or column is needed"):
        read_vector(tmp_path / "v.npy")
    np.save(tmp_path / "v.npy", np.arange(3.0))
    with pytest.raises(ValueError, match="holds 3 numbers: at least 4 are needed"):
        read_vector(tmp_path / "v.npy", min_rows=4)


def test_a_header_that_asks_for_too_much_is_refused(tmp_path: Path) -> None:
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 1000), }"
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117).encode() + b"\n" + b"0" * 99)
    with pytest.raises(ValueError, match=r"x.npy' cannot be read: Unable to allocate"):
        read_matrix(path)


def test_a_cell_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "1,2\n" + "9" * 200_000 + ",3\n")
    with pytest.raises(ValueError, match=r"x.csv' cannot be read: field larger than field limit"):
        read_matrix(path)
