"""Tests of a terminal on a board that plays a linked game."""

from time import time

import pytest

from pond_hw.messages.message import Message
from pond_hw.tui import status_text
from pond_hw.tui.dialogs import RequestDialog, VersionDialog
from tests.messages.says import text
from tests.server.test_linked_game import STATUS, follow
from tests.tui.test_remote_table import run_remote_terminal

UNDO = {"undo": 1}


class FarHome:
    """The program of the link, controlled by the test."""

    def __init__(self, served):
        self.client = served.connect()
        self.client.request(STATUS | {"seen": int(time()) - 7300}, follow(0, "@b2", "@c3"))

    def report(self, **fields):
        self.client.request(STATUS | {"seen": int(time())} | fields)

    @property
    def wishes(self):
        return [
            {name: line[name] for name in line if name != "type"}
            for line in self.client.receive()
            if line["type"] == "wish"
        ]


@pytest.mark.slow
def test_terminal_shows_the_other_home(served):
    home = FarHome(served)

    async def play(visitor):
        assert text(Message("linked.seen.hours", count=2)) in visitor.status_text
        assert text(Message("linked.status.name", name="Ada")) in visitor.status_text
        home.report(online=False, declined=[UNDO])
        await visitor.settle()
        assert text(Message("linked.status.offline")) in visitor.status_text
        assert text(Message("linked.declined.undo", turn=1)) in visitor.status_text
        home.client.leave()
        await visitor.settle()
        assert text(Message("linked.status.stopped")) in visitor.status_text

    run_remote_terminal(served, play, size=(120, 40))


@pytest.mark.slow
def test_age_of_the_last_message_is_updated(served, monkeypatch):
    home = FarHome(served)
    home.report()

    async def play(visitor):
        assert text(Message("linked.seen.present")) in visitor.status_text
        monkeypatch.setattr(status_text, "time", lambda: time() + 3 * 3600)
        await visitor.settle()
        assert text(Message("linked.seen.hours", count=3)) in visitor.status_text

    run_remote_terminal(served, play, size=(120, 40))


@pytest.mark.slow
@pytest.mark.parametrize(("key", "answers"), [("y", [True]), ("n", [False]), ("escape", []), ("enter", [])])
def test_request_of_the_other_home_is_answered(served, key, answers):
    home = FarHome(served)

    async def play(visitor):
        home.report(requests=[UNDO])
        await visitor.settle()
        assert isinstance(visitor.app.screen, RequestDialog)
        await visitor.press(key)
        await visitor.settle()
        assert home.wishes == [{"wish": UNDO, "accept": accept} for accept in answers]
        assert not isinstance(visitor.app.screen, RequestDialog)
        assert text(Message("status.how_to_answer")) in visitor.status_text
        await visitor.press("escape")
        assert isinstance(visitor.app.screen, RequestDialog)
        home.report()
        await visitor.settle()
        assert not isinstance(visitor.app.screen, RequestDialog)

    run_remote_terminal(served, play, size=(120, 40))


@pytest.mark.slow
def test_version_of_the_game_is_chosen(served):
    home = FarHome(served)

    async def play(visitor):
        home.report(question={"mine": True, "versions": [2, 3]})
        await visitor.settle()
        assert isinstance(visitor.app.screen, VersionDialog)
        await visitor.press("2")
        await visitor.settle()
        assert home.wishes == [{"version": 1}]

    run_remote_terminal(served, play, size=(120, 40))
