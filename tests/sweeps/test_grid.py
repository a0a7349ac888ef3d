"""Each cell has its own random numbers, whatever grid it stands in."""

from __future__ import annotations

import numpy as np

from validation.sweeps import Cell, SweepSettings, cells, seed_sequence

SMALL = SweepSettings(d=3, m=8, P=(0.0, 1.0), tau=2.0, seeds=2, seed=5)
LARGE = SweepSettings(d=(2, 3), m=(4, 8), P=(0.0, 0.5, 1.0), tau=(1.0, 2.0), seeds=3, seed=5)


def state(seed: int, cell: Cell) -> tuple[int, ...]:
    return tuple(int(word) for word in seed_sequence(seed, cell).generate_state(4, np.uint64))


def test_size_counts_the_cells() -> None:
    assert LARGE.size == len(cells(LARGE)) == 72


def test_cells_are_ordered_with_the_last_axis_fastest() -> None:
    grid = cells(LARGE)
    assert grid == sorted(grid, key=lambda cell: tuple(vars(cell).values()))
    assert [cell.replicate for cell in grid[:4]] == [0, 1, 2, 0]


def test_no_two_cells_share_numbers() -> None:
    assert len({state(5, cell) for cell in cells(LARGE)}) == LARGE.size


def test_a_cell_keeps_its_numbers_in_a_larger_grid() -> None:
    assert set(cells(SMALL)) <= set(cells(LARGE))
    for cell in cells(SMALL):
        assert state(5, cell) == state(5, Cell(**vars(cell)))
        assert state(5, cell) != state(6, cell)


def test_the_seed_sequence_is_a_child_of_the_sweeps_seed() -> None:
    child = seed_sequence(5, cells(SMALL)[0])
    assert child.entropy == 5
    assert len(child.spawn_key) == 8


def test_numbers_of_a_pinned_cell() -> None:
    # Stored sweeps rest on these: a change here must come with a new schema number.
    cell = Cell(d=3, order=1, m=64, P=0.5, tau=2.0, delta=0.1, replicate=0)
    first = np.random.default_rng(seed_sequence(0, cell)).integers(2**32, size=3)
    assert first.tolist() == [753885041, 1009687395, 2916794363]
