"""Progress in one line: what is done, how fast, and how long the rest will take."""

import pytest

from sheeplib.features.progress import Progress, spoken


def test_speed_and_rest_count_only_what_was_done_in_this_session():
    seconds = iter([100.0, 116.0, 132.0])
    progress = Progress(2281, 320, clock=lambda: next(seconds))
    # 64 in 16 s are 4 a second; 2281 - 384 = 1897 are left, and take 474.25 s = 7 min 54 s
    assert progress.add(64) == "384 of 2,281 answers, 4 a second, 7 min 54 s left"
    # 64 + 32 in 32 s are 3 a second; 1865 / 3 = 621.67 s = 10 min 22 s
    assert progress.add(32) == "416 of 2,281 answers, 3 a second, 10 min 22 s left"


def test_a_clock_that_stands_still_and_nothing_done_break_nothing():
    progress = Progress(10, clock=lambda: 5.0)
    assert progress.add(0) == "0 of 10 answers, 0 a second"
    assert progress.add(10).startswith("10 of 10 answers") and progress.add(0).endswith("0 s left")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3599, "59 min 59 s"), (11_105, "3 h 5 min")],
)
def test_times_are_told_in_two_units(seconds, said):
    assert spoken(seconds) == said
