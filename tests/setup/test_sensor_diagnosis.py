"""Tests of the sensor diagnosis with handmade measurements."""

from dataclasses import replace

import pytest

from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.profile.sensor_wires import sensor_chips, sensor_wires
from pond_hw.rules import get_grid
from pond_hw.setup.findings import FAULT, GOOD, KINDS_BY_SENSOR, TURNED_KINDS, WARNING, faulty_cells, find_remedy
from pond_hw.setup.sensor_diagnosis import BoardMeasurements, diagnose_sensors
from pond_hw.setup.sensor_measurements import EdgeBurst, IdlePeriod, PressTrial, SensorPress
from tests.conftest import each
from tests.messages.says import text
from tests.setup.fault_injection import turns

BUTTONS, MATRIX, HALL, LINEAR = (load_profile(name) for name in ("direct-4x4", "matrix-5x5", "hall-4x4", "hall-5x5"))
WIRES = sensor_wires(BUTTONS)
BUS_HANGS = as_message("The bus hangs.")
SWING = 200.0


def number(profile, cell):
    return get_grid(profile.size).cells.index(cell)


def presses(count=3, begin=10.0):
    return tuple(SensorPress(begin + i, begin + i + 0.2) for i in range(count))


def make_idle(profile, *, on=(), flips=None, rest=None, spread=None, seconds=3.0):
    """Return an idle period in which only these events occur."""
    cells = get_grid(profile.size).cells
    flips = tuple((flips or {}).get(cell, 0) for cell in cells)
    if profile is not LINEAR:
        return IdlePeriod(seconds, frozenset(number(profile, cell) for cell in on), flips)
    rests = tuple(512.0 + (rest or {}).get(cell, 0.0) for cell in cells)
    spreads = tuple((spread or {}).get(cell, 6) for cell in cells)
    return IdlePeriod(seconds, frozenset(number(profile, cell) for cell in on), flips, rests, spreads)


def make_trial(profile, cell, press_counts=None, *, chatter=0.002, swing=SWING, confirmed=True):
    """Return a trial of a cell, which by default responds three times."""
    press_counts = {cell: 3} if press_counts is None else press_counts
    swings = {number(profile, cell): swing} if profile is LINEAR else {}
    own = press_counts.get(cell, 0)
    edges = tuple(EdgeBurst(press.begin, press.begin + chatter, 3, True) for press in presses(own))
    by_input = {number(profile, each): presses(count) for each, count in press_counts.items()}
    return PressTrial(3, by_input, edges, swings, confirmed)


def measure_board(profile, *, before=None, after=None, ghosts=None, **trials):
    """Return measurements of a board that is good except for these trials; None for an unmeasured cell."""
    all_ = {cell: (make_trial(profile, cell),) for cell in get_grid(profile.size).cells}
    for cell, trial in trials.items():
        all_[cell] = trial if isinstance(trial, tuple | None) else (trial,)
    all_ = {cell: trial for cell, trial in all_.items() if trial is not None}
    return BoardMeasurements(before or make_idle(profile), all_, after or make_idle(profile), ghosts or {})


def faults(profile, what):
    """Return all warnings and faults."""
    return [each for each in diagnose_sensors(profile, what) if each.grade != GOOD]


def summarise(profile, what):
    """Return grade, kind and cells of all warnings and faults."""
    return [(each.grade, each.kind, each.cells) for each in faults(profile, what)]


def of(name, profile, cell, **arguments):
    return Message(f"finding.{name}", cell=cell, wire=sensor_wires(profile)[cell], **arguments)


@pytest.mark.parametrize("profile", [BUTTONS, MATRIX, HALL, LINEAR], ids=lambda profile: profile.name)
def test_good_board_has_only_good_cells(profile):
    found = diagnose_sensors(profile, measure_board(profile))
    assert [each.cells for each in found] == [(cell,) for cell in get_grid(profile.size).cells]
    assert {each.grade for each in found} == {GOOD}


@each(("profile", "kind"), [(BUTTONS, "button"), (LINEAR, "hall")])
def test_cell_that_is_always_down_is_stuck(profile, kind):
    held = make_idle(profile, on=["b2"])
    for name, what in (
        ("stuck_on", measure_board(profile, b2=None, before=held)),
        ("not_let_go", measure_board(profile, after=held)),
    ):
        assert summarise(profile, what) == [(FAULT, "stuck on", ("b2",))]
        assert faults(profile, what)[0].message == of(f"{name}.{kind}", profile, "b2")


@each(
    ("profile", "kind", "cell", "what", "arguments"),
    [
        (BUTTONS, "flapping", "c1", {"before": make_idle(BUTTONS, flips={"c1": 7}, seconds=2.0)}, {"flips": 7, "seconds": 2.0}),
        (BUTTONS, "stuck off", "d4", {"d4": make_trial(BUTTONS, "d4", {"d4": 2})}, {"answered": 2, "wanted": 3}),
        (MATRIX, "missing diode", "c3", {"ghosts": {"c3": True, "b2": False}}, {}),
        (LINEAR, "weak", "b2", {"b2": make_trial(LINEAR, "b2", swing=50.0)}, {"swing": 50.0, "wanted": 0.6 * SWING}),
        (LINEAR, "reversed", "b2", {"b2": make_trial(LINEAR, "b2", swing=-190.0)}, {"swing": -190.0}),
        (LINEAR, "noise", "b2", {"before": make_idle(LINEAR, spread={"b2": 33})}, {"noise": 33}),
        (LINEAR, "drift", "b2", {"after": make_idle(LINEAR, rest={"b2": -15.0})}, {"drift": -15.0}),
    ],
)  # fmt: skip
def test_faulty_sensor_has_its_finding_and_message(profile, kind, cell, what, arguments):
    (finding,) = faults(profile, measure_board(profile, **what))
    assert (finding.kind, finding.cells) == (kind, (cell,))
    assert finding.grade == (WARNING if kind in ("noise", "drift") else FAULT)
    assert finding.message == of(kind.replace(" ", "_"), profile, cell, **arguments)


def test_misplaced_sensors_are_named_with_wires():
    moved = measure_board(BUTTONS, b2=make_trial(BUTTONS, "b2", {"c3": 3}))
    assert summarise(BUTTONS, moved) == [(FAULT, "elsewhere", ("b2", "c3"))]
    elsewhere = Message("finding.elsewhere", cell="b2", answering="c3", wire=WIRES["c3"])
    assert faults(BUTTONS, moved)[0].message == elsewhere
    keen = measure_board(BUTTONS, b2=make_trial(BUTTONS, "b2", {"b2": 3, "b3": 2}))
    assert faults(BUTTONS, keen)[0].message == of("cross_talk", BUTTONS, "b3", asked="b2")


@each(
    ("profile", "kind", "faulty", "sound"),
    [
        (BUTTONS, "long bounce", *({"b2": make_trial(BUTTONS, "b2", chatter=seconds)} for seconds in (0.0101, 0.0099))),
        (LINEAR, "weak", *({"b2": make_trial(LINEAR, "b2", swing=swing)} for swing in (119.0, 121.0))),
        (LINEAR, "noise", *({"before": make_idle(LINEAR, spread={"b2": counts})} for counts in (20, 19))),
        (LINEAR, "drift", *({"after": make_idle(LINEAR, rest={"b2": counts})} for counts in (-12.0, 11.0))),
        (LINEAR, "off centre", *(dict.fromkeys(["before", "after"], make_idle(LINEAR, rest={"b2": n})) for n in (25.0, 24.0))),
    ],
)  # fmt: skip
def test_fault_is_reported_at_or_above_threshold(profile, kind, faulty, sound):
    assert [each.kind for each in faults(profile, measure_board(profile, **faulty))] == [kind]
    assert faults(profile, measure_board(profile, **sound)) == []


def test_off_centre_rest_is_reported_in_counts():
    rests = make_idle(LINEAR, rest={"b2": 30.0})
    away = measure_board(LINEAR, before=rests, after=rests)
    assert summarise(LINEAR, away) == [(WARNING, "off centre", ("b2",))]
    assert faults(LINEAR, away)[0].message == Message("finding.off_centre", cell="b2", counts=542.0, drawn=512)


@each(("swing", "kind"), [(-190.0, "reversed"), (50.0, "weak")])
def test_single_linear_sensor_is_compared_with_the_profile(swing, kind):
    alone = BoardMeasurements(make_idle(LINEAR), {"b2": (make_trial(LINEAR, "b2", swing=swing),)}, make_idle(LINEAR))
    assert summarise(LINEAR, alone) == [(FAULT, kind, ("b2",))]


@each("above", [True, False])
def test_opposite_poles_are_one_finding(above):
    wiring = replace(LINEAR.sensing.wiring, light=-1 if above else 1)
    profile = replace(LINEAR, sensing=replace(LINEAR.sensing, wiring=wiring))
    trials = {cell: make_trial(LINEAR, cell, swing=SWING if above else -SWING) for cell in get_grid(5).cells}
    assert summarise(profile, measure_board(LINEAR, **trials)) == [(WARNING, "poles", ())]
    message = Message(f"finding.poles.{'above' if above else 'below'}")
    assert faults(profile, measure_board(LINEAR, **trials))[0].message == message


TURN_NAMES = {
    "half": "half", "quarter": "left", "back quarter": "right", "sides": "left_right", "top": "top_bottom",
    "diagonal": "diagonal", "other diagonal": "other_diagonal", "even rows": "even_rows", "odd rows": "odd_rows",
    "even columns": "even_columns", "odd columns": "odd_columns",
}  # fmt: skip


@each("profile", [BUTTONS, LINEAR])
@each("name", turns(4))
def test_turned_board_is_one_finding_with_an_example(profile, name):
    kind, to = turns(profile.size)[name]
    cells, size = get_grid(profile.size).cells, profile.size
    wired = {cells[n]: cells[y * size + x] for n in range(size**2) for x, y in [to(n % size, n // size)]}
    trials = {
        cell: make_trial(profile, cell, {other: 3}, swing=SWING * (cell == other)) for cell, other in wired.items()
    }
    wrong = tuple(cell for cell in cells if wired[cell] != cell)
    (finding,) = faults(profile, measure_board(profile, **trials))
    assert (finding.grade, finding.kind, finding.cells) == (FAULT, kind, wrong)
    example = {"cell": wrong[0], "answering": wired[wrong[0]]}
    assert finding.message == Message(f"finding.turned.{TURN_NAMES[name]}", **example)


def test_cell_down_at_the_end_is_stuck():
    hung = measure_board(BUTTONS, b2=(make_trial(BUTTONS, "b2", {"b2": 2}), make_trial(BUTTONS, "b2", {})))
    hung = replace(hung, idle_after=make_idle(BUTTONS, on=["b2"]))
    (finding,) = faults(BUTTONS, hung)
    assert (finding.kind, finding.cells) == ("stuck on", ("b2",))
    assert finding.message == Message("finding.not_let_go.button", cell="b2", wire=WIRES["b2"])


@pytest.mark.parametrize("when", ["before", "after"])
def test_cell_that_changes_untouched_is_flapping(when):
    flapping = measure_board(BUTTONS, **{when: make_idle(BUTTONS, flips={"c1": 2})})
    assert summarise(BUTTONS, flapping) == [(FAULT, "flapping", ("c1",))]
    assert summarise(BUTTONS, measure_board(BUTTONS, **{when: make_idle(BUTTONS, flips={"c1": 1})})) == []


def test_flapping_rate_is_per_second():
    (finding, *_) = diagnose_sensors(BUTTONS, measure_board(BUTTONS, before=make_idle(BUTTONS, flips={"c1": 12})))
    assert finding.figures == {"changes_per_second": 4.0}


def test_twice_silent_cell_is_a_fault():
    silent = make_trial(BUTTONS, "d4", {})
    assert summarise(BUTTONS, measure_board(BUTTONS, d4=(silent, silent))) == [(FAULT, "never", ("d4",))]


def test_single_press_of_another_cell_does_not_count():
    silent = make_trial(BUTTONS, "d4", {"c4": 1})
    assert summarise(BUTTONS, measure_board(BUTTONS, d4=(silent, silent))) == [(FAULT, "never", ("d4",))]


def test_cell_that_stops_answering_is_stuck_off():
    fading = (make_trial(BUTTONS, "d4", {"d4": 2}), make_trial(BUTTONS, "d4", {}))
    (finding, *_) = diagnose_sensors(BUTTONS, measure_board(BUTTONS, d4=fading))
    assert (finding.kind, finding.cells) == ("stuck off", ("d4",))
    counts = {"answered": 2, "last": 0, "wanted": 3}
    assert finding.message == Message("finding.stuck_off_twice", cell="d4", wire=WIRES["d4"], **counts)


def test_cell_answering_when_repeated_is_good():
    again = (make_trial(BUTTONS, "d4", {"a1": 3}), make_trial(BUTTONS, "d4"))
    assert summarise(BUTTONS, measure_board(BUTTONS, d4=again)) == []


def test_swapped_cells_are_reported_once():
    swapped = measure_board(BUTTONS, b2=make_trial(BUTTONS, "b2", {"c3": 3}), c3=make_trial(BUTTONS, "c3", {"b2": 3}))
    assert summarise(BUTTONS, swapped) == [(FAULT, "swapped", ("b2", "c3"))]
    wires = {"wire": WIRES["b2"], "other_wire": WIRES["c3"]}
    assert faults(BUTTONS, swapped)[0].message == Message("finding.swapped", cell="b2", other="c3", **wires)
    good = [each.cells[0] for each in diagnose_sensors(BUTTONS, swapped) if each.grade == GOOD]
    assert len(good) == 14
    assert not {"b2", "c3"} & {*good}


def test_extra_press_of_the_previous_cell_is_ignored():
    swapped = measure_board(
        BUTTONS,
        b2=(make_trial(BUTTONS, "b2", {"c3": 3}), make_trial(BUTTONS, "b2", {"c3": 3})),
        c3=(make_trial(BUTTONS, "c3", {"b2": 3}), make_trial(BUTTONS, "c3", {"b2": 3, "c3": 1})),
    )
    assert summarise(BUTTONS, swapped) == [(FAULT, "swapped", ("b2", "c3"))]


def test_stuck_sensor_does_not_answer_for_other_cells():
    stuck = measure_board(
        BUTTONS, b2=make_trial(BUTTONS, "b2", {"c3": 3}), before=make_idle(BUTTONS, on=["c3"]), c3=None
    )
    assert summarise(BUTTONS, stuck) == [(FAULT, "never", ("b2",)), (FAULT, "stuck on", ("c3",))]


def test_a_few_swapped_wires_are_not_a_turned_board():
    moved = measure_board(
        BUTTONS,
        a1=make_trial(BUTTONS, "a1", {"d1": 3}),
        d1=make_trial(BUTTONS, "d1", {"a1": 3}),
        b1=make_trial(BUTTONS, "b1", {"c1": 3}),
        c1=make_trial(BUTTONS, "c1", {"b1": 3}),
    )
    assert {kind for _, kind, _ in summarise(BUTTONS, moved)} == {"swapped"}


def test_two_cells_cannot_show_a_turned_board():
    two = {"a1": (make_trial(BUTTONS, "a1", {"d1": 3}),), "d1": (make_trial(BUTTONS, "d1", {"a1": 3}),)}
    assert summarise(BUTTONS, BoardMeasurements(make_idle(BUTTONS), two, make_idle(BUTTONS))) == [
        (FAULT, "swapped", ("a1", "d1"))
    ]


def test_answering_neighbour_is_cross_talk():
    keen = measure_board(BUTTONS, b2=make_trial(BUTTONS, "b2", {"b2": 3, "b3": 2}))
    found = faults(BUTTONS, keen)
    assert [(each.kind, each.cells, faulty_cells(each)) for each in found] == [("cross-talk", ("b3", "b2"), ("b3",))]
    once = measure_board(BUTTONS, b2=make_trial(BUTTONS, "b2", {"b2": 3, "b3": 1}))
    assert summarise(BUTTONS, once) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_flapping_sensor_has_no_cross_talk(when):
    flaps = {when: make_idle(BUTTONS, flips={"b3": 9})}
    keen = measure_board(BUTTONS, b2=make_trial(BUTTONS, "b2", {"b2": 3, "b3": 3}), **flaps)
    assert summarise(BUTTONS, keen) == [(FAULT, "flapping", ("b3",))]


def test_hall_sensors_have_no_bounce_figures():
    assert summarise(HALL, measure_board(HALL, b2=make_trial(HALL, "b2", chatter=0.1))) == []


def test_untested_diode_is_reported():
    of = {each.cells[0]: each.message for each in diagnose_sensors(MATRIX, measure_board(MATRIX, ghosts={"c3": False}))}
    assert of["c3"] is None
    assert of["b2"] == Message("finding.diode_not_tried", cell="b2")
    assert {each.message for each in diagnose_sensors(MATRIX, measure_board(MATRIX))} == {None}


def test_weak_linear_sensor_is_not_dead():
    faint = make_trial(LINEAR, "b2", {}, swing=40.0)
    assert summarise(LINEAR, measure_board(LINEAR, b2=(faint, faint))) == [(FAULT, "weak", ("b2",))]
    dead = make_trial(LINEAR, "b2", {}, swing=5.0)
    assert summarise(LINEAR, measure_board(LINEAR, b2=(dead, dead))) == [(FAULT, "never", ("b2",))]


def test_swapped_linear_sensor_is_not_weak():
    swapped = measure_board(
        LINEAR,
        b2=make_trial(LINEAR, "b2", {"b3": 3}, swing=40.0),
        b3=make_trial(LINEAR, "b3", {"b2": 3}, swing=40.0),
    )
    assert summarise(LINEAR, swapped) == [(FAULT, "swapped", ("b2", "b3"))]


def test_sensor_that_drifts_until_stuck_has_drifted():
    crept = measure_board(
        LINEAR,
        b2=(make_trial(LINEAR, "b2", {"b2": 1}), make_trial(LINEAR, "b2", {})),
        after=make_idle(LINEAR, rest={"b2": 45.0}, on=["b2"]),
    )
    assert summarise(LINEAR, crept) == [(WARNING, "drift", ("b2",))]


def test_dead_sensor_off_centre_is_dead():
    rests = make_idle(LINEAR, rest={"b2": 30.0}, spread={"b2": 50})
    dead = make_trial(LINEAR, "b2", {}, swing=0.0)
    found = summarise(LINEAR, measure_board(LINEAR, b2=(dead, dead), before=rests, after=rests))
    assert found == [(FAULT, "never", ("b2",))]


def test_unreachable_sensors_are_reported():
    trouble = as_message("The sensors do not answer: no chip answers at 0x21 on I2C bus 1.")
    lower = get_grid(4).cells[:8]
    (dead,) = diagnose_sensors(HALL, BoardMeasurements(sensor_trouble=trouble))
    assert (dead.grade, dead.kind, dead.cells, dead.message) == (FAULT, "dead chip", lower, trouble)
    assert summarise(HALL, BoardMeasurements(sensor_trouble=BUS_HANGS)) == [(FAULT, "not reached", ())]


def test_findings_before_lost_sensors_are_kept():
    silent = make_trial(HALL, "d4", {})
    lost = BoardMeasurements(make_idle(HALL), {"d4": (silent, silent)}, sensor_trouble=BUS_HANGS)
    assert summarise(HALL, lost) == [(FAULT, "not reached", ()), (FAULT, "never", ("d4",))]


@pytest.mark.parametrize("press_counts", [{}, {"b2": 1}, {"b2": 2}])
def test_cell_pressed_too_rarely_is_not_examined(press_counts):
    silence = make_trial(BUTTONS, "b2", press_counts, confirmed=False)
    (finding, *good) = diagnose_sensors(BUTTONS, measure_board(BUTTONS, b2=(silence, silence)))
    assert (finding.grade, finding.kind, finding.cells) == (WARNING, "not examined", ("b2",))
    assert finding.message == Message("finding.not_pressed", cells=("b2",), count=1, presses=3)
    assert {each.grade for each in good} == {GOOD}
    assert len(good) == 15


def test_one_confirmed_silence_is_enough_for_a_fault():
    tried = make_trial(BUTTONS, "b2", {}), make_trial(BUTTONS, "b2", {}, confirmed=False)
    assert summarise(BUTTONS, measure_board(BUTTONS, b2=tried)) == [(FAULT, "never", ("b2",))]


def test_dead_chip_leaves_the_rest_not_examined():
    chip = next(cells for cells in sensor_chips(LINEAR).values() if "b2" in cells)
    name = next(name for name, cells in sensor_chips(LINEAR).items() if "b2" in cells)
    cells = get_grid(5).cells
    trouble = as_message(f"{name} says 0 for every sensor.")
    dead, rest = diagnose_sensors(LINEAR, BoardMeasurements(sensor_trouble=trouble, asked_cells=cells))
    assert (dead.kind, dead.cells) == ("dead chip", chip)
    assert (rest.grade, rest.kind) == (WARNING, "not examined")
    assert {*dead.cells} | {*rest.cells} == {*cells}
    assert rest.message == Message("finding.not_read", cells=rest.cells, count=len(rest.cells))
    assert (rest.cause, rest.cure) == (None, Message("cure.not_read"))


def test_worst_findings_come_first():
    bad = measure_board(BUTTONS, a1=make_trial(BUTTONS, "a1", chatter=0.03), d4=make_trial(BUTTONS, "d4", {}))
    assert [each.grade for each in diagnose_sensors(BUTTONS, bad)][:3] == [FAULT, WARNING, GOOD]


def test_faults_name_wire_cause_and_remedy():
    bad = measure_board(BUTTONS, a1=make_trial(BUTTONS, "a1", chatter=0.03), d4=make_trial(BUTTONS, "d4", {}))
    silent, slow = diagnose_sensors(BUTTONS, bad)[:2]
    assert silent.messages == (
        Message("finding.never", cell="d4", wire=WIRES["d4"]),
        Message("cause.never.button"),
        Message("cure.never.button"),
    )
    assert slow.message == Message("finding.long_bounce", cell="a1", wire=WIRES["a1"], settling=pytest.approx(30))
    assert (slow.cause, slow.cure) == (Message("cause.long_bounce"), Message("cure.long_bounce"))
    assert "GPIO" in text(WIRES["d4"])


def test_hall_sensors_have_their_own_remedies():
    for kind in KINDS_BY_SENSOR:
        assert find_remedy(kind, "hall") != find_remedy(kind, "button")
        assert "button" not in text(*find_remedy(kind, "hall"))
    for kind in ("flapping", "swapped", "weak", "drift"):
        assert find_remedy(kind, "hall") == find_remedy(kind, "button")
        assert "button" not in text(*find_remedy(kind, "hall"))


def test_turned_boards_share_a_remedy():
    assert {find_remedy(kind, "button") for kind in TURNED_KINDS} == {(Message("cause.turned"), Message("cure.turned"))}


def test_numbers_are_rounded_in_messages():
    assert "9 ms" in text(Message("finding.long_bounce", cell="a1", wire="GPIO 4", settling=9.4))
    assert "-190 counts" in text(Message("finding.reversed", cell="a1", wire="GPIO 4", swing=-190.2))
    assert "3 s" in text(Message("finding.flapping", cell="a1", wire="GPIO 4", flips=7, seconds=3.0))
