"""Sweeps in real processes: any number of workers, killed and resumed, on a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import distributed
import pytest
from sweep_cells import DYING, FAILING, HUGE, PLACE, PRODUCT, SLOW
from sweep_driver import SETTINGS

from validation.sweeps import (
    ClusterError,
    StoreBusyError,
    SweepFailedError,
    SweepProgress,
    SweepSettings,
    WorkerDiedError,
    read_table,
    run_sweep,
)

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PATIENCE = 60.0


def final_bytes(store: Path) -> dict[str, bytes]:
    return {name: (store / name).read_bytes() for name in ("table.csv", "manifest.json")}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    store = tmp_path_factory.mktemp("sweep") / "whole"
    run_sweep(SETTINGS, store, jobs=1, measure=PRODUCT)
    return final_bytes(store)


def environment() -> dict[str, str]:
    # Several BLAS threads are offered, and must not be taken: they would change the last bits.
    path = os.pathsep.join([str(ROOT), str(HERE)])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "3"}


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python with these arguments; nothing is left of it afterwards."""
    child = subprocess.Popen([sys.executable, *arguments], env=environment(), cwd=ROOT)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def journal_lines(store: Path) -> int:
    journal = store / "cells.journal"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def children(parent: int) -> list[Path]:
    """Return where the system tells of each process that `parent` started."""
    lists = Path(f"/proc/{parent}/task").glob("*/children")
    return [Path("/proc", child) for each in lists for child in each.read_text().split()]


def alive(place: Path) -> bool:
    """Tell whether the process runs: one that ended may stay listed until it is collected."""
    try:
        return (place / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(processes: list[Path]) -> None:
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, processes)):
        assert time.monotonic() < deadline, "a worker outlived the sweep that was killed"
        time.sleep(0.02)


def wait_for_lines(child: subprocess.Popen[bytes], store: Path, lines: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while journal_lines(store) < lines:
        assert child.poll() is None, "the sweep ended before it could be killed"
        assert time.monotonic() < deadline, "no cell was finished"
        time.sleep(0.005)


def test_two_workers_give_the_bytes_of_one(tmp_path: Path, uninterrupted: dict[str, bytes]) -> None:
    run_sweep(SETTINGS, tmp_path / "two", jobs=2, measure=PRODUCT)
    assert final_bytes(tmp_path / "two") == uninterrupted


def test_killed_twice_and_resumed_with_other_workers(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    store = tmp_path / "killed"
    before = 0
    for jobs in ("2", "1"):
        # With one job the sweep runs in its own process: there is no worker to outlive it.
        with process(str(HERE / "sweep_driver.py"), str(store), jobs) as child:
            wait_for_lines(child, store, before + 4)
            with pytest.raises(StoreBusyError, match="in use by another sweep"):
                run_sweep(SETTINGS, store, measure=SLOW)
            workers = children(child.pid)
            child.kill()
        wait_until_gone(workers)
        kept = (store / "cells.journal").read_bytes()
        assert not (store / "table.csv").exists()
        assert before < kept.count(b"\n") < SETTINGS.size
        before = kept.count(b"\n")
    run_sweep(SETTINGS, store, jobs=2, measure=SLOW)
    assert final_bytes(store) == uninterrupted
    whole = kept[: kept.rindex(b"\n") + 1]
    after = (store / "cells.journal").read_bytes()
    assert after.startswith(whole)
    assert after.count(b"\n") == SETTINGS.size, "a finished cell was computed again"


def test_finished_sweep_runs_nothing_and_keeps_its_bytes(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    store = tmp_path / "done"
    first = run_sweep(SETTINGS, store, measure=PRODUCT)
    table = run_sweep(SETTINGS, store, measure=FAILING)
    assert table == first == read_table(store / "table.csv")
    assert final_bytes(store) == uninterrupted


def test_failed_cells_leave_the_others_stored(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    store = tmp_path / "failing"
    with pytest.raises(SweepFailedError, match=r"12 of 36 cells.*P=1.0(.|\n)*no answer at tau"):
        run_sweep(SETTINGS, store, jobs=2, measure=FAILING)
    assert journal_lines(store) == 24
    run_sweep(SETTINGS, store, jobs=1, measure=PRODUCT)
    assert final_bytes(store) == uninterrupted


def test_an_error_in_the_middle_stops_the_workers_without_a_warning(
    tmp_path: Path, cluster: str, uninterrupted: dict[str, bytes]
) -> None:
    def stop(state: SweepProgress) -> None:
        if state.done >= 4:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run_sweep(SETTINGS, tmp_path, jobs=2, measure=SLOW, progress=stop)
    assert journal_lines(tmp_path) == 4
    with pytest.raises(RuntimeError, match="enough"):
        run_sweep(SETTINGS, tmp_path, scheduler=cluster, measure=SLOW, progress=stop)
    run_sweep(SETTINGS, tmp_path, measure=PRODUCT)
    assert final_bytes(tmp_path) == uninterrupted


@pytest.mark.filterwarnings("ignore:A worker stopped while some jobs:UserWarning")
def test_dead_worker_is_told_apart_and_the_sweep_goes_on(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    store = tmp_path / "dying"
    with pytest.raises(WorkerDiedError, match="finished cells are stored"):
        run_sweep(SETTINGS, store, jobs=2, measure=DYING)
    run_sweep(SETTINGS, store, jobs=1, measure=PRODUCT)
    assert final_bytes(store) == uninterrupted


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a scheduler and two worker processes, of one and of two threads, on this machine."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    place = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file))
    worker = ("-m", "distributed.cli.dask_worker", *place, "--no-nanny")
    with ExitStack() as stack:
        scheduler = ("-m", "distributed.cli.dask_scheduler", *place, "--port", "0")
        stack.enter_context(process(*scheduler))
        deadline = time.monotonic() + PATIENCE
        while not file.exists():
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.02)
        for threads in ("1", "2"):
            local = ("--local-directory", str(folder), "--nthreads", threads)
            stack.enter_context(process(*worker, *local))
        address = json.loads(file.read_text())["address"]
        with distributed.Client(address, timeout=PATIENCE, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        yield address


def test_cluster_gives_the_bytes_of_one_process(
    tmp_path: Path, cluster: str, uninterrupted: dict[str, bytes]
) -> None:
    run_sweep(SETTINGS, tmp_path / "cluster", scheduler=cluster, measure=PRODUCT)
    assert final_bytes(tmp_path / "cluster") == uninterrupted


def test_cells_run_in_every_worker_of_the_cluster(tmp_path: Path, cluster: str) -> None:
    places = run_sweep(SETTINGS, tmp_path, scheduler=cluster, measure=PLACE)["process"]
    assert len(set(places)) == 2
    assert os.getpid() not in places


def test_cluster_with_too_little_memory(tmp_path: Path, cluster: str) -> None:
    with pytest.raises(MemoryError, match=r"need an estimated .* GiB, and the worker tcp://"):
        run_sweep(SETTINGS, tmp_path, scheduler=cluster, measure=HUGE)


def test_cluster_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.sweeps.cluster.PATIENCE_SECONDS", 0.5)
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127.0.0.1:9"):
        run_sweep(SETTINGS, tmp_path, scheduler="tcp://127.0.0.1:9", measure=PRODUCT)


def test_cluster_without_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    small = SweepSettings(d=3, m=8, P=0.0, tau=1.0)
    with pytest.raises(ClusterError, match=r'pip install "kernelspec\[distributed\]"'):
        run_sweep(small, tmp_path, scheduler="tcp://127.0.0.1:1", measure=PRODUCT)
