"""Next visible change of a scene. Nothing is redrawn before it."""

from itertools import pairwise
from math import inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.lights import LAMP_COUNTS, animations, draw_scene, render_scene
from pond_hw.lights.animations import CHANGES_PER_SECOND, FRAME_SECONDS, REFUSAL_SECONDS, LightPattern
from pond_hw.lights.render import SCORED_SECONDS, WAVE_PERIOD_SECONDS
from pond_hw.rules import DARK, LIGHT
from pond_hw.session import ConfirmWindow, ShownRefusal
from tests.lights.scenes import FULL, HINTED, MENU, MIDDLE, PENDING, TASKS, TO_REPAIR, scene

COUNTS = [pytest.param(count, marks=pytest.mark.slow) if count > 4 else count for count in LAMP_COUNTS]

STEP = 1 / CHANGES_PER_SECOND

EGGS = """
    E   .   e   .
    .   .   .   E
    e   .   .   .
    .   E   .   .
"""

WATER = """
    .o  .o  .o
    .o  .o  .o
    .o  .o  .o
"""

SCENES = {
    "play": scene(MIDDLE),
    "dark plays": scene(MIDDLE, to_move=DARK),
    "hands": scene(TASKS),
    "repair": scene(TO_REPAIR),
    "hint": scene(HINTED),
    "menu": scene(MENU),
    "announced": scene(PENDING, hold=ConfirmWindow(3.0, 7.0)),
    "refused": scene(FULL, wrong=ShownRefusal("b2", 0.0)),
    "over": scene(FULL, over=LIGHT),
    "a draw": scene(FULL, over="draw", since=2.3),
    "not saved": scene(MIDDLE)._replace(is_unsaved=True),
    "trouble": scene(MIDDLE)._replace(has_trouble=True),
    "asked": scene(MIDDLE)._replace(asked_cell="b2"),
}

PATTERNS = {
    f"{name} {key}".strip(): pattern
    for name, value in vars(animations).items()
    for key, pattern in (value.items() if isinstance(value, dict) else [("", value)])
    if isinstance(pattern, LightPattern)
}


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_is_constant_until_next_change(name):
    pattern = PATTERNS[name]
    assert len(PATTERNS) > 20
    now = 0.0
    while now < 24:
        change = pattern.next_change(now)
        assert change > now
        steps = range(int(now / STEP + 0.01), int(min(change, 24) / STEP))  # steps that begin before it
        levels = {pattern((step + 0.01) * STEP) for step in steps}
        assert len(levels) == 1, (now, change)
        now = change


@pytest.mark.parametrize("lamps", COUNTS)
@pytest.mark.parametrize("name", SCENES)
@given(start=st.floats(0, 30))
def test_picture_is_constant_until_next_change(name, lamps, start):
    shown, change = draw_scene(SCENES[name], start, lamps)
    assert change > start
    rests = start + STEP, min(change, start + 20) - 1.01 * STEP  # motion is drawn a step late, and once per step
    if rests[0] < rests[1]:
        for share in (0.0, 0.3, 0.6, 0.9, 1.0):
            seen = render_scene(SCENES[name], rests[0] + share * (rests[1] - rests[0]), lamps)
            # Fading light may differ by less than a lamp can show.
            assert seen == shown or all(isclose(*levels, abs_tol=1e-6) for levels in zip(seen, shown, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("lamps", COUNTS)
@pytest.mark.parametrize("name", SCENES)
def test_redrawing_only_at_changes_keeps_picture_current(name, lamps):
    """A board redrawn only when something changes always looks like one redrawn at each step."""
    shown, change = draw_scene(SCENES[name], 0.0, lamps)
    for step in range(1, 30 * CHANGES_PER_SECOND):
        now = (step + 0.01) * STEP
        while change <= now:
            shown, change = draw_scene(SCENES[name], change, lamps)
        seen = render_scene(SCENES[name], now, lamps)
        if name == "refused" and now < REFUSAL_SECONDS:
            continue  # it is drawn frame by frame
        most = 0.25 if change < now + STEP else 1e-9
        assert max(abs(old - new) for old, new in zip(shown, seen, strict=True)) <= most, now


def test_unchanging_eggs_are_never_redrawn():
    assert draw_scene(scene(EGGS)._replace(to_move=None), 5.0, 1).next_change == inf


def test_open_cells_are_redrawn_while_they_change():
    instants, now = [], 8.0
    while now < 12.0:
        instants.append(now)
        now = draw_scene(scene(WATER), now, 4).next_change
    assert 15 < len(instants) < 30
    assert max(later - earlier for earlier, later in pairwise(instants)) > 1.0


def test_picture_rests_between_waves():
    over = scene(EGGS, over=DARK, since=0.0)
    gone = SCORED_SECONDS + 4.5
    assert draw_scene(over, gone, 4).next_change == pytest.approx(
        SCORED_SECONDS + WAVE_PERIOD_SECONDS, abs=FRAME_SECONDS
    )
    assert draw_scene(over, SCORED_SECONDS + 1.0, 4).next_change == pytest.approx(SCORED_SECONDS + 1.0 + FRAME_SECONDS)
