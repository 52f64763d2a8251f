"""Trial of set-up, as a page would run it, in simulated time."""

import tempfile
from contextlib import ExitStack, closing
from random import Random

import pytest

from pond_hw.browser.setup_trial import FINDING_KINDS, MAX_PASSED_SECONDS, SensorFlaw, SetupTrial
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.rules import PondError
from pond_hw.setup.findings import FAULT, SetupFinding
from tests.clock import Clock

BRIGHT = 12
"""Minimum level of a colour channel that looks bright."""

MAX_TRIES = 4
"""Number of presses of a lit cell before the player says that nothing happens."""


class TrialPage:
    """Page with a player who presses the lit cells."""

    def __init__(self, seed=1, language="en"):
        self.clock, self.messages, self.lit_cells = Clock(), [], []
        self.trial = SetupTrial(self.messages.append, self.clock.now, language, Random(seed))

    def close(self):
        self.trial.close()

    @property
    def last(self):
        return self.messages[-1]

    def wait(self, seconds):
        end = self.clock.now() + seconds
        while (due := self.trial.step()) < end:
            self.clock.reach(due)
        self.clock.reach(end)
        self.trial.step()

    def send(self, **request):
        self.trial.hear(request)

    def press(self, cell, seconds=0.2):
        self.send(press=cell)
        self.wait(seconds)
        self.send(release=cell)
        self.wait(0.2)

    def play(self):
        """Follow the lamps to the end, and return the last message. Store the cells in the order in which they were lit."""
        presses = 0
        while not self.last["over"]:
            assert self.clock.now() < 300, self.last
            lit = [cell for cell, lamps in self.last["seen"].items() if max(map(max, lamps)) > BRIGHT]
            if presses == MAX_TRIES:
                self.send(reply="x")
            presses = presses + 1 if lit and presses < MAX_TRIES else 0
            if lit:
                self.lit_cells = list(dict.fromkeys((*self.lit_cells, *lit)))
                self.press(*lit)
            else:
                self.wait(0.2)
        return self.last


@pytest.fixture
def open_page():
    """Function that opens a page. Its trial is closed at the end."""
    with ExitStack() as pages:
        yield lambda **options: pages.enter_context(closing(TrialPage(**options)))


@pytest.fixture
def start_trial(open_page):
    """Function that opens a page and starts a trial."""

    def start(fault, cell, **options):
        page = open_page(**options)
        page.send(start={"fault": fault, "cell": cell})
        return page

    return start


def test_dead_sensor_is_found_with_its_cause_and_fix(start_trial):
    page = start_trial("never", "a3")
    assert page.last["asks"] == "Take your hands off the board for 3 s."
    page.wait(3.2)
    assert page.last["asks"] == "a3 is lit. Press and release it 3 times."
    for _ in range(2):
        page.press("a3")
    assert page.last["choices"] == [{"key": "x", "says": "I did, but nothing happens"}, {"key": "n", "says": "skip"}]
    page.send(reply="x")
    page.wait(0.5)
    page.send(reply="x")
    page.wait(3.2)
    end = page.last
    assert end["over"]
    assert end["is_found"]
    assert (end["asks"], end["choices"]) == ("", [])
    assert end["broken"] == {"fault": "never", "cells": ("a3",)}
    assert end["marks"] == {"a3": "fault"}
    (finding,) = end["found"]
    assert "a3 didn't respond" in finding["told"]
    assert "loose" in finding["cause"]
    assert "check the wire" in finding["cure"]


@pytest.mark.parametrize("cell", ["a1", "d4", "b3"])
@pytest.mark.parametrize("fault", FINDING_KINDS)
def test_every_fault_is_found(start_trial, fault, cell):
    end = start_trial(fault, cell, seed=f"{fault} {cell}").play()
    assert end["is_found"], end["found"]
    assert end["broken"]["cells"][0] == cell


@pytest.mark.slow
def test_surprises_are_found(open_page):
    broken = []
    for seed in range(100):
        page = open_page(seed=seed)
        page.send(start="surprise")
        assert "broken" not in page.last
        end = page.play()
        assert end["is_found"], (seed, end["broken"], end["found"])
        assert page.lit_cells == sorted(page.lit_cells)
        broken.append(end["broken"])
    assert {each["fault"] for each in broken} == FINDING_KINDS.keys()
    assert len({each["cells"][0] for each in broken}) == 16


def test_fault_is_found_only_in_its_own_cells():
    flaw = SensorFlaw("swapped", ("b2", "b1"))
    assert flaw.is_reported_by(SetupFinding(FAULT, "swapped", ("b1", "b2")))
    assert not flaw.is_reported_by(SetupFinding(FAULT, "swapped", ("b1", "c1")))
    assert not flaw.is_reported_by(SetupFinding(FAULT, "never", ("b1", "b2")))


def test_skipped_sensor_is_not_found(start_trial):
    page = start_trial("never", "a3")
    while not page.last["over"]:
        page.send(reply="n")
        page.wait(0.2)
    assert not page.last["is_found"]
    assert page.last["marks"] == {"a3": "unexamined"}


def test_quick_presses_of_a_bouncing_contact_all_count(start_trial):
    page = start_trial("bounce", "c2")
    page.wait(3.2)
    for _ in range(3):
        page.send(press="c2")
        page.send(release="c2")
        page.wait(0.05)
    page.wait(1.0)
    assert page.last["done"] == [1, 1]


def test_too_many_presses_do_not_pile_up(start_trial):
    page = start_trial("never", "a3")
    page.wait(3.2)
    for _ in range(100):
        page.send(press="b1")
        page.send(release="b1")
    page.wait(3.0)
    assert page.last["asks"] == "a3 is lit. Press and release it 3 times."


def test_time_in_a_sleeping_tab_is_skipped(start_trial):
    page = start_trial("never", "a3")
    page.clock.sleep(3600.0)
    page.trial.step()
    assert page.last["asks"] == "Take your hands off the board for 3 s."
    page.wait(3.2 - MAX_PASSED_SECONDS)
    assert page.last["asks"] == "a3 is lit. Press and release it 3 times."


def test_messages_are_sent_only_for_changes(start_trial):
    page = start_trial("never", "a3")
    page.wait(2.0)
    assert len(page.messages) == 1


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"start": {}},
        {"start": "again"},
        {"start": {"fault": "broken", "cell": "7"}},
        {"start": {"fault": "never", "cell": "a5"}},
        {"start": {"fault": "never", "cell": 7}},
        {"start": {"fault": ["never"], "cell": "a3"}},
        {"start": {"fault": "never", "cell": "a3", "board": "own"}},
        {"press": "e5"},
        {"press": None},
        {"release": "\0"},
        {"reply": 3},
        {"stop": False},
        {"wait": 3},
    ],
)
def test_invalid_requests_are_refused(start_trial, open_page, request_):
    for page in (open_page(), start_trial("never", "a3")):
        with pytest.raises(PondError) as refusal:
            page.trial.hear(request_)
        assert get_catalogue().text(refusal.value.message)


def test_late_requests_are_ignored(start_trial):
    page = start_trial("stuck-on", "a3")
    page.send(reply="x")  # is not offered now
    page.send(reply="q")
    assert not page.last["over"]
    page.play()
    count = len(page.messages)
    for request in ({"press": "a3"}, {"release": "a3"}, {"reply": "x"}, {"stop": True}):
        page.send(**request)
    page.wait(5.0)
    assert len(page.messages) == count


def test_trial_can_be_started_again(start_trial):
    page = start_trial("never", "a3")
    page.wait(4.0)
    page.send(start={"fault": "stuck-on", "cell": "b2"})
    assert page.play()["broken"] == {"fault": "stuck-on", "cells": ("b2",)}


@pytest.mark.parametrize("is_finished", [True, False])
def test_no_files_remain(start_trial, tmp_path, monkeypatch, is_finished):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    page = start_trial("stuck-on", "a3")
    assert list(tmp_path.iterdir())
    if is_finished:
        page.play()
    else:
        page.wait(1.0)
        page.send(stop=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("language", "shown"), [("nl", "nl"), ("de", "en")])
def test_language_without_set_up_falls_back_to_english(start_trial, language, shown):
    page = start_trial("never", "a3", language=language)
    assert page.last["language"] == shown
    assert ("Take" in page.last["asks"]) == (shown == "en")
