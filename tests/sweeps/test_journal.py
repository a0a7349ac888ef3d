"""A journal keeps every whole record, whatever happens to its end."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from validation.sweeps.journal import Journal, JournalDamagedError

RECORDS = [{"cell": f"m={m}", "values": {"error": 0.1 / m, "note": "line\nend"}} for m in (1, 2, 3)]


def written(path: Path) -> bytes:
    with Journal(path) as journal:
        for record in RECORDS:
            journal.append(record)
    return path.read_bytes()


@settings(deadline=None, max_examples=60)
@given(st.floats())
@example(-0.0)
@example(5e-324)
@example(0.1)
@example(math.inf)
def test_floats_come_back_with_the_same_bits(value: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal")
        with Journal(path) as journal:
            journal.append({"value": value})
        with Journal(path) as journal:
            [record] = journal.records
    assert repr(record["value"]) == repr(value)


def test_every_torn_end_leaves_the_records_before_it(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole")
    ends = [0] + [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    path = tmp_path / "torn"
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = sum(end <= cut for end in ends) - 1
        with Journal(path) as journal:
            assert journal.records == RECORDS[:kept]
            for record in RECORDS[kept:]:
                journal.append(record)
        assert path.read_bytes() == whole


@pytest.mark.parametrize("garbage", [b"\0" * 50, b"\n\n", b"\xff\xfe\n", b"0123456789abcdef {}\n"])
def test_garbage_at_the_end_is_cut_off(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "journal"
    whole = written(path)
    path.write_bytes(whole + garbage)
    with Journal(path) as journal:
        assert journal.records == RECORDS
    assert path.read_bytes() == whole


def test_damage_before_the_end_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    whole = written(path)
    damaged = whole.replace(b"m=2", b"m=5")
    path.write_bytes(damaged)
    with pytest.raises(JournalDamagedError, match="line 2: the record does not match its checksum"):
        Journal(path)
    assert path.read_bytes() == damaged


def test_record_is_in_the_file_when_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with Journal(path) as journal:
        for number, record in enumerate(RECORDS, start=1):
            journal.append(record)
            assert path.read_bytes().count(b"\n") == number
