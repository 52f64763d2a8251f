"""A linked game on a served board: following its log, and what its players ask the other home for."""

import json

import pytest

from pond_hw.companion.program_players import PACE_SECONDS
from pond_hw.companion.saved_state import add_courses
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.game_list import number_games
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD
from pond_hw.server.headless import HeadlessGame
from pond_hw.server.view_from_json import InvalidMessage, parse_view
from pond_hw.session import PERMISSION_SECONDS, StartExercise
from tests.server.test_remote_seats import press_lit

GAME, NEXT_GAME = "0123456789abcdef", "fedcba9876543210"
STATUS = {
    "command": "link",
    "name": "Ada",
    "seen": 1764500000,
    "online": True,
    "joined": True,
    "cells": [],
    "requests": [],
    "asked": [],
    "declined": [],
    "question": None,
}


def follow(turn=0, *actions, keep=None, **fields):
    """Return a `follow` line of a home that plays light."""
    plan = {"game": GAME, "side": "light", "variant": "standard", "turn": turn, "outcome": None}
    return {"command": "follow", **plan, "keep": turn if keep is None else keep, "actions": list(actions), **fields}


def begin(served, *actions, **status):
    """Connect a link, and begin a linked game with these actions."""
    link = served.connect()
    link.request(STATUS | status, follow(0, *actions))
    return link


def state_of(client):
    return client.request({"ask": "state"})[-1]


def ids(answer):
    return [message["id"] for message in answer["said"]]


def wishes(answers):
    return [answer for answer in answers if answer["type"] == "wish"]


# Following


def test_follow_begins_a_linked_game(served):
    client = served.connect()
    served.hands.touch("a1")
    [*_, state] = client.request(follow(0, "@b2", "@c3"))
    assert (state["turn"], served.played) == (2, ["@b2", "@c3"])
    assert (state["link"]["game"], state["link"]["side"], state["link"]["running"]) == (GAME, "light", False)
    assert client.request({"ask": "record"})[-1]["players"] == {"light": None, "dark": "remote"}


def test_far_turn_appears_after_the_pace(served):
    link = begin(served)
    served.advance(1)
    served.hands.touch("b2")
    served.run_cycles()
    assert [answer["type"] for answer in link.request(follow(1, "@c3"))] == ["state"]  # that of the touch
    served.advance(PACE_SECONDS - 0.1)
    assert served.played == ["@b2"]
    served.advance(0.2)
    assert served.played == ["@b2", "@c3"]
    assert [answer["turn"] for answer in link.receive()] == [2]


def test_follow_with_a_wrong_turn_changes_nothing(served):
    link = begin(served, "@b2", "@c3")
    before = served.companion.session
    for line in (follow(1, "@c3"), follow(3, "@c3"), follow(2, "@c3", game=NEXT_GAME)):
        [state] = link.request(line)
        assert (state["type"], state["turn"]) == ("state", 2)
    assert served.companion.session is before


def test_hand_before_the_follow_wins(served):
    link = begin(served, "@b2", "@c3")
    link.request(follow(2, keep=0))
    served.hands.touch("a1")
    served.hands.touch("a2")
    link.receive()
    [state] = link.request(follow(2, "@d4"))
    assert (state["turn"], served.played) == (1, ["@a1"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (follow(2, "@b2"), "illegal.not_empty"),
        (follow(2, "@d4", "@d3", "@d3"), "illegal.not_empty"),
        (follow(0, "@c3", "@c3", game=NEXT_GAME), "illegal.not_empty"),
        (follow(0, variant="big", game=NEXT_GAME), "variant.does_not_fit"),
        (follow(2, keep=3), "field.no_linked_field"),
        (follow(2, "d"), "action.wrong_notation"),
        (follow(2, game="x"), "field.no_linked_field"),
        (follow(2, side="blue"), "field.no_owner"),
        (follow(2, outcome={"winner": "light", "reason": "score"}), "field.no_linked_field"),
        (follow(2, *["@a1"] * 201), "field.no_linked_field"),
    ],
)
def test_impossible_follow_is_an_error(served, line, message):
    link = begin(served, "@b2", "@c3")
    before = served.companion.session
    [error] = link.request(line)
    assert (error["type"], ids(error)) == ("error", [message])
    served.advance(3)
    assert served.companion.session is before


def test_follow_takes_turns_back_and_ends_the_game(served):
    link = begin(served, "@b2", "@c3", "@a1")
    assert link.request(follow(3, keep=1))[-1]["turn"] == 1
    end = {"winner": "light", "reason": "resignation"}
    assert link.request(follow(1, outcome=end))[-1]["outcome"] == end
    served.advance(3)
    assert link.request(follow(1, "@c3"))[-1]["outcome"] is None
    assert (served.played, served.companion.session.outcome) == (["@b2", "@c3"], None)


def start_lesson(served):
    served.companion.session, _ = add_courses(served.companion.session, None, 0.0)
    served.table.send(StartExercise, course_name="lessons")
    assert served.companion.session.exercise


def test_follow_waits_during_an_exercise(served):
    link = begin(served, "@b2", "@c3")
    start_lesson(served)
    link.receive()
    [state] = link.request(follow(2, "@d4"))
    assert "exercise" in state
    served.advance(3)
    link.request({"command": "exercise", "choice": "leave"}, follow(2, "@d4"))
    served.advance(3)
    assert served.played == ["@b2", "@c3", "@d4"]


def test_lesson_that_begins_during_the_pace_drops_the_follow(served):
    link = begin(served, "@b2", "@c3")
    link.request(follow(2, "@d4"))
    start_lesson(served)
    served.advance(3)
    assert [answer["turn"] for answer in link.request({"command": "exercise", "choice": "leave"})][-1] == 2


def test_follow_is_refused_during_trouble(served):
    link = begin(served, "@b2")
    served.table.report_health(Message("trouble.over"))
    link.receive()
    [state] = link.request(follow(1, "@c3"))
    assert "trouble" in state
    served.advance(3)
    assert served.played == ["@b2"]
    served.table.report_health(None)
    link.request(follow(1, "@c3"))
    assert served.played == ["@b2", "@c3"]


def test_next_game_changes_the_sides(served):
    link = begin(served, "@b2", "@c3")
    [*_, state] = link.request(follow(0, "@d4", game=NEXT_GAME, side="dark"))
    assert (state["link"]["game"], state["link"]["side"], served.played) == (NEXT_GAME, "dark", ["@d4"])
    served.hands.touch("a1")
    served.run_cycles()
    assert served.played == ["@d4", "@a1"]


def test_both_sides_are_remote_for_a_spectator(served):
    link = begin(served)
    link.request(follow(0, "@b2", game=NEXT_GAME, side=None))
    served.hands.touch("a1")
    [*_, state] = link.receive()
    assert (served.played, ids(state)) == (["@b2"], ["seats.wait"])
    [*_, state] = link.request({"command": "resign"})
    assert ids(state) == ["linked.watching"]
    assert wishes(link.receive()) == []


# The link


def test_only_the_newest_link_counts(served):
    first, second = served.connect(), served.connect()
    assert first.request(STATUS)[-1]["link"]["running"]
    second.request(STATUS | {"name": None})
    [*_, error, state] = first.receive()
    assert (ids(error), state["link"]["name"]) == (["linked.taken_over"], None)
    second.request(follow(0, "@b2", "@c3"))
    assert wishes(first.receive()) == []
    first.request({"command": "undo"})
    assert wishes(second.receive()) == [{"type": "wish", "wish": {"undo": 1}}]
    first.leave()
    served.run_cycles()
    assert served.companion.session.link.running


def test_departed_link_no_longer_runs(served):
    other, link = served.connect(), begin(served)
    link.leave()
    assert other.receive()[-1]["link"] | {"cells": []} == {
        **{name: value for name, value in STATUS.items() if name != "command"},
        "game": GAME,
        "side": "light",
        "running": False,
    }
    [*_, state] = other.request({"command": "resign"})
    assert ids(state) == ["linked.not_running"]


def test_link_without_a_game_leaves_no_trace(served):
    other, link = served.connect(), served.connect()
    assert link.request(STATUS | {"joined": False})[-1]["link"]["game"] is None
    link.leave()
    assert "link" not in other.receive()[-1]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "a" * 41},
        {"name": "a\n"},
        {"seen": -1},
        {"online": 1},
        {"cells": ["a1"]},
        {"cells": ["a1", "a2", "a3", "a6"]},
        {"cells": ["a1", "a2", "a3", "e5"]},
        {"requests": [{"undo": 0}]},
        {"requests": [{"resign": True}]},
        {"asked": [{"draw": True}] * 9},
        {"declined": [{"new": "standard"}]},
        {"question": {"mine": True, "versions": [1]}},
    ],
)
def test_wrong_link_line_is_an_error(served, fields):
    link = served.connect()
    link.receive()
    assert [answer["type"] for answer in link.request(STATUS | fields)] == ["error"]
    assert served.companion.session.link is None


def test_cells_are_lit_until_a_touch(served):
    link, cells = served.connect(), ["a1", "b3", "c2", "d4"]
    link.request(STATUS, follow(), STATUS | {"cells": cells})
    lit = served.companion.session.view.lit_cells
    assert (list(lit), state_of(link)["link"]["cells"]) == (cells, cells)
    served.hands.touch("b2")
    link.request(STATUS | {"cells": cells, "seen": 1764500001})
    assert served.companion.session.view.lit_cells == ()


# Wishes


@pytest.mark.parametrize(
    ("line", "wish", "message"),
    [
        ({"command": "undo"}, {"undo": 3}, "linked.asked.undo"),
        ({"command": "draw"}, {"draw": True}, "linked.asked.draw"),
        ({"command": "new"}, {"new": "standard", "side": "light"}, "linked.asked.new"),
        ({"command": "new", "variant": "mini"}, {"new": "mini", "side": "light"}, "linked.asked.new"),
        (
            {"command": "new", "names": {"light": "Bo", "dark": None}},
            {"new": "standard", "side": "light"},
            "linked.asked.new",
        ),
        ({"command": "resign"}, {"resign": True}, "linked.asked.resign"),
        ({"command": "undo", "confirm": True}, {"undo": 3}, "linked.asked.undo"),
        ({"command": "new", "confirm": True}, {"new": "standard", "side": "light"}, "linked.asked.new"),
        ({"command": "draw", "confirm": True}, {"draw": True}, "linked.asked.draw"),
    ],
)
def test_changes_are_asked_of_the_other_home(served, line, wish, message):
    link, other = begin(served, "@b2", "@c3", "@a1", "@d4"), served.connect()
    other.receive()
    *permission, state = other.request(line)
    assert (ids(state)[0], state["turn"], state["outcome"]) == (message, 4, None)
    assert permission == (
        [{"type": "permission", "for": line["command"], "allowed": True}] if "confirm" in line else []
    )
    assert wishes(link.receive()) == [{"type": "wish", "wish": wish}]
    assert wishes(other.receive()) == []


def test_sides_are_swapped_after_the_end(served):
    link = begin(served, "@b2", "@c3")
    link.request(follow(2, outcome={"winner": None, "reason": "agreement"}))
    assert ids(link.request({"command": "undo"})[-1]) == ["linked.end_is_final"]
    assert wishes(link.request({"command": "new"})) == [{"type": "wish", "wish": {"new": "standard", "side": "dark"}}]
    assert served.companion.session.declared_outcome


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"command": "redo"}, "linked.no_redo"),
        ({"command": "set_up", "position": "..../.e../.T../.... l 12 12 0 0"}, "linked.no_set_up"),
        ({"command": "resign", "side": "dark"}, "linked.resign_for_yourself"),
        ({"command": "new", "players": {"light": None, "dark": "greedy"}}, "linked.no_other_players"),
        ({"command": "new", "variant": "big"}, "variant.does_not_fit"),
    ],
)
def test_changes_that_no_home_may_ask_for(served, line, message):
    link = begin(served, "@b2", "@c3")
    before = served.companion.session.record
    [*_, state] = link.request(line)
    assert ids(state)[0] == message
    assert wishes(link.receive()) == []
    assert (served.companion.session.record, served.companion.seated.program_names) == (before, (None, "remote"))


def test_held_button_asks_for_a_new_game(served):
    link = begin(served, "@b2", "@c3")
    link.request(follow(2, outcome={"winner": None, "reason": "agreement"}))
    served.hands.press("a1")
    served.advance(3)
    assert wishes(link.receive()) == [{"type": "wish", "wish": {"new": "standard", "side": "dark"}}]


def test_remark_while_the_broker_is_away(served):
    link = begin(served, "@b2", "@c3", online=False)
    state, _ = link.request({"command": "draw"})
    assert "linked.offline" in ids(state)


def test_settings_of_the_start_do_not_touch_a_linked_game(served):
    link = begin(served)
    link.request({"command": "head_start", "side": "dark", "pieces": 2}, {"command": "fair_start", "on": True})
    session = served.companion.session
    assert (session.linked_game, session.position.scored) == (GAME, (0, 0))
    link.request(follow(game=NEXT_GAME))
    session = served.companion.session
    assert (session.linked_game, session.position.scored, session.custom_start) == (NEXT_GAME, (0, 0), None)


def test_new_players_leave_the_game_once_the_link_is_gone(served):
    link, other = begin(served, "@b2", "@c3"), served.connect()
    link.leave()
    served.run_cycles()
    [*_, state] = other.request({"command": "new", "players": {"light": None, "dark": None}})
    assert ("link" in state, state["turn"], served.companion.seated.linked_game) == (False, 0, None)
    served.hands.touch("a1")
    served.hands.touch("a2")
    served.run_cycles()
    assert served.played == ["@a1", "@a2"]


def test_lesson_is_local(served):
    link = begin(served, "@b2", "@c3")
    start_lesson(served)
    link.request({"command": "undo", "exercise": True}, {"command": "resign"})
    assert "linked.lesson_first" in ids(link.request({"command": "new"})[-1])
    assert wishes(link.receive()) == []


# Answers


def test_request_is_answered_by_any_client(served):
    link, other = begin(served, "@b2", "@c3", requests=[{"undo": 2}]), served.connect()
    other.receive()
    answer = {"command": "answer", "request": {"undo": 2}, "accept": False}
    assert other.request(answer) == []
    assert wishes(link.receive()) == [{"type": "wish", "wish": {"undo": 2}, "accept": False}]
    assert ids(other.request(answer | {"request": {"undo": 1}})[-1]) == ["linked.no_request"]
    assert ids(other.request(answer | {"accept": 1})[-1]) == ["field.no_answer"]


def test_version_is_chosen_only_if_it_is_ours_to_choose(served):
    link = begin(served, "@b2", question={"mine": False, "versions": [1, 1]})
    choice = {"command": "answer", "version": 1}
    assert ids(link.request(choice)[-1]) == ["linked.no_question"]
    link.request(STATUS | {"question": {"mine": True, "versions": [1, 2]}})
    assert link.request(choice) == [{"type": "wish", "version": 1}]
    assert ids(link.request(choice | {"version": 2})[-1]) == ["field.no_answer"]


def test_lit_cell_accepts_a_request(served):
    link, other = begin(served, "@b2", "@c3", requests=[{"undo": 2}, {"draw": True}]), served.connect()
    state = state_of(other)
    assert ids(state) == ["linked.request.undo", "permission.press_one.buttons"]
    press_lit(served, other)
    assert [answer for answer in link.receive() if answer["type"] != "state"] == [
        {"type": "wish", "wish": {"undo": 2}, "accept": True}
    ]
    served.advance(1)
    served.hands.touch("b2")
    served.advance(0.2)
    assert "asks" not in state_of(other)
    link.request(STATUS | {"requests": [{"draw": True}]})
    assert ids(state_of(other))[0] == "linked.request.draw"


def test_request_is_asked_again_once_after_a_later_touch(served):
    link = begin(served, "@b2", requests=[{"undo": 1}])
    assert "asks" in state_of(link)
    served.advance(PERMISSION_SECONDS + 1, step=0.5)
    assert "asks" not in state_of(link)
    for is_asked in (True, False):
        served.hands.touch("b2")  # refused: it is the other home's turn
        served.advance(0.2)
        assert ("asks" in state_of(link)) is is_asked
        served.advance(PERMISSION_SECONDS + 1, step=0.5)
    assert wishes(link.receive()) == []
    assert served.companion.session.link.requests


def test_lapsed_request_is_no_longer_asked(served):
    link = begin(served, "@b2", requests=[{"undo": 1}])
    link.request(STATUS)
    assert "asks" not in state_of(link)


# People on phones


def test_phones_get_no_seat_of_the_other_home(served):
    page = served.connect()
    page.request(
        {"command": "seats", "seats": [{"seat": 1, "sides": ["light", "dark"]}, {"seat": 2, "sides": ["light"]}]}
    )
    begin(served, "@b2")
    assert {"type": "revoked", "seat": 1} in page.receive()
    assert state_of(page)["seats"] == [{"seat": 2, "sides": ["light"]}]
    for sides in (["dark"], ["light", "dark"]):
        assert ids(page.request({"command": "seat", "sides": sides})[-1]) == ["linked.no_seat"]
    assert "asks" in page.request({"command": "seat", "sides": ["light"]})[-1]


def test_phones_keep_their_seats_when_the_homes_swap_sides(served):
    page = served.connect()
    page.request({"command": "seats", "seats": [{"seat": 2, "sides": ["light"]}]})
    link = begin(served, "@b2")
    link.request(follow(0, "@d4", game=NEXT_GAME, side="dark"))
    received = page.receive()
    assert {"type": "swapped"} in received
    assert not any(line["type"] == "revoked" for line in received)
    assert state_of(page)["seats"] == [{"seat": 2, "sides": ["dark"]}]


def test_resignation_by_phone_needs_a_press(served):
    link, page = begin(served, "@b2", "@c3"), served.connect()
    page.request({"command": "resign", "side": "light", "confirm": True})
    assert wishes(link.receive()) == []
    press_lit(served, link)
    assert wishes(link.receive()) == [{"type": "wish", "wish": {"resign": True}}]


# Journal


def restart(serve, served, games):
    served.close()
    return serve(games=games)


def test_linked_game_resumes_as_linked(serve, tmp_path):
    served = serve(games=tmp_path)
    begin(served, "@b2")
    served = restart(serve, served, tmp_path)
    link = served.connect()
    state = state_of(link)
    assert (state["phase"], state["link"]["game"], state["link"]["running"]) == ("resume", GAME, False)
    assert ids(link.request(STATUS, follow(1, "@b2"))[-1]) == ["illegal.not_empty"]
    link.request(follow(1, "@c3"))
    served.advance(3)
    assert (served.played, state_of(link)["phase"]) == (["@b2", "@c3"], "act")
    assert link.request({"ask": "record"})[-1]["players"] == {"light": None, "dark": "remote"}
    assert link.request({"ask": "record"})[-1]["names"] == {"light": None, "dark": "Ada"}
    served.hands.touch("a1")
    served.hands.touch("a2")
    served.run_cycles()
    assert served.played == ["@b2", "@c3", "@a1"]


def test_game_resumed_by_hand_is_linked(serve, tmp_path):
    served = serve(games=tmp_path)
    begin(served, "@b2")
    served = restart(serve, served, tmp_path)
    served.hands.touch("a1")
    served.hands.touch("a2")
    served.run_cycles()
    assert (served.played, served.companion.seated.linked_game) == (["@b2"], GAME)


def test_wish_before_the_first_turn_saves_no_game(serve, tmp_path):
    served = serve(games=tmp_path)
    assert wishes(begin(served).request({"command": "draw"}))
    served.close()
    assert number_games(read_all_games(tmp_path)[0]) == []


def test_discarded_linked_game_begins_again_by_follow(serve, tmp_path):
    served = serve(games=tmp_path)
    begin(served, "@b2")
    served = restart(serve, served, tmp_path)
    client = served.connect()
    client.request({"command": "discard"})
    assert "link" not in state_of(client)
    client.request(follow(1, "@c3"))
    assert served.played == []
    client.request(follow(0, "@b2", "@c3"))
    assert served.played == ["@b2", "@c3"]


def test_local_game_is_left_by_follow(serve, tmp_path):
    served = serve(games=tmp_path)
    served.hands.touch("a1")
    begin(served, "@b2", "@c3", "@a1")
    served.close()
    local, linked = (each.stored for each in number_games(read_all_games(tmp_path)[0]))
    assert (local.projection.was_left, local.facts["link"], local.facts["dark"]) == (True, None, None)
    assert linked.facts["link"] == {"game": GAME, "side": "light"}
    assert (linked.facts["light"], linked.facts["dark"]) == (None, "Ada")
    assert [str(each.entry) for each in linked.entries] == ["act @b2", "act @c3", "act @a1"]


def test_followed_changes_are_ordinary_entries(serve, tmp_path):
    served = serve(games=tmp_path)
    link = begin(served, "@b2", "@c3", "@a1")
    link.request({"command": "undo"})
    link.request(follow(3, keep=2))
    link.request(follow(2, outcome={"winner": "dark", "reason": "resignation"}))
    served.close()
    [game] = number_games(read_all_games(tmp_path)[0])
    entries = [str(each.entry) for each in game.stored.entries]
    assert entries == ["act @b2", "act @c3", "act @a1", "back 1", "end dark resignation"]


# Elsewhere


def test_headless_board_refuses_the_lines_of_a_link():
    game = HeadlessGame(STANDARD)
    for line in (STATUS, follow(), {"command": "answer", "version": 1}):
        [answer] = map(json.loads, game.answer_line(json.dumps(line).encode()))
        assert ids(answer) == ["linked.only_served"]


def test_client_parses_the_link(served):
    link = begin(served, "@b2", "@c3")
    status = {
        "cells": ["a1", "b1", "c1", "d1"],
        "requests": [{"undo": 2}, {"draw": True}],
        "asked": [{"new": "mini", "side": "dark"}, {"resign": True}],
        "question": {"mine": True, "versions": [2, 3]},
    }
    link.request(STATUS | status)
    state, record = link.request({"ask": "state"}, {"ask": "record"})[-2:]
    assert parse_view(record, state).link == served.companion.session.link
    with pytest.raises(InvalidMessage):
        parse_view(record, state | {"link": state["link"] | {"seen": "now"}})
