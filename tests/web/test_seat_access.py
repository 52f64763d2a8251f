"""Seats of visitors, and requests that wait for a press on the board. The test takes the place of the board."""

import pytest

from pond_hw.rules import DARK, LIGHT
from pond_hw.server import protocol
from pond_hw.session import (
    ResignGame,
    UndoTurns,
)
from pond_hw.web import seat_access
from pond_hw.web.client_limits import MAX_REFUSALS, MAX_REFUSALS_PER_SOURCE
from tests.conftest import each
from tests.web.hub_bench import SeatBench


@pytest.fixture
def bench(tmp_path):
    return SeatBench(tmp_path)


@pytest.fixture
def closed_bench(tmp_path):
    return SeatBench(tmp_path, spectators=False)


def test_seat_needs_a_press_on_the_board(bench):
    visitor, other = bench.add_visitor(), bench.add_visitor()
    assert bench.request(visitor, seat=["dark"]) == [{"command": "seat", "sides": ["dark"]}]
    sign = {"colour": "green", "number": 27}
    bench.receive_state(asks={"cell": "b2", "pressed": 1, "of": 4, "until": 50.0, "sign": sign})
    asking = bench.list_messages(visitor)["you"]["asking"]
    assert (asking["cells"], asking["pressed"], asking["seconds"], asking["sign"]) == (4, 1, 50.0, sign)
    assert bench.list_messages(other)["you"]["asking"] is None
    assert bench.request(other, seat=["light"]) == []
    assert (
        "Another phone is asking for permission. Don't press the board"
        in bench.list_messages(other)["refused"]["message"]
    )
    assert bench.request(visitor, seat=["light"]) == []
    assert "refused" not in bench.list_messages(visitor)
    bench.receive_line({"type": "permission", "for": "seat", "allowed": False})
    assert bench.list_messages(visitor)["you"]["seat"] is None
    bench.request(visitor, seat=["dark"])
    bench.receive_line({"type": "permission", "for": "seat", "allowed": True})
    assert bench.list_messages(visitor)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert bench.heard[-1] == {"command": "seats", "seats": [{"seat": 1, "sides": ["dark"]}]}
    assert bench.list_messages(other).get("you") is None


def test_visitor_who_left_gets_no_seat(bench):
    visitor = bench.add_visitor()
    bench.request(visitor, seat=["dark"])
    bench.remove_visitor()
    assert bench.heard[-1] == {"command": "withdraw"}
    bench.receive_line({"type": "permission", "for": "seat", "allowed": True})
    assert list(bench.seat_book) == []


def test_cancelling_a_request_keeps_the_seat(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, command="resign")
    assert bench.request(visitor, seat=None) == [{"command": "withdraw"}]
    assert bench.request(visitor, seat=None) == []
    bench.receive_line({"type": "permission", "for": "resign", "allowed": False})
    seen = bench.list_messages(visitor)
    assert seen["you"]["seat"]
    assert "refused" not in seen
    bench.request(visitor, seat=None)
    assert bench.list_messages(visitor)["you"]["seat"] is None


def take_seat(bench, visitor, *sides):
    """Return the secret with which the browser can fetch the cookie of a new seat."""
    bench.request(visitor, seat=list(sides))
    bench.receive_line({"type": "permission", "for": "seat", "allowed": True})
    return bench.list_messages(visitor)["granted"]["claim"]


def test_new_seat_has_a_new_token(bench):
    visitor, other = bench.add_visitor(), bench.add_visitor()
    other.token = brought = visitor.token
    claim = take_seat(bench, visitor, "dark")
    token = bench.access.fetch_token(claim, brought)
    assert token not in (None, brought, claim)
    assert (bench.seat_book.find_seat(token).sides, bench.seat_book.find_seat(brought)) == ((DARK,), None)
    assert bench.list_messages(other)["you"]["seat"] is None
    for wrong in ("", "x", token):
        assert bench.access.fetch_token(wrong, None) is None
    assert bench.access.fetch_token(claim, token) is None
    assert bench.access.fetch_token(claim, None) is None, "once it is stored, no one else gets it"
    bench.remove_visitor(0)
    assert bench.seat_book.find_seat(token)


def test_browser_without_cookies_loses_its_seat(bench):
    visitor = bench.add_visitor()
    visitor.token = None
    claim = take_seat(bench, visitor, "dark")
    assert bench.access.fetch_token(claim, None)
    assert bench.access.fetch_token(claim, None) is None
    seen = bench.list_messages(visitor)
    assert seen["you"]["seat"] is None
    assert "cookies" in seen["refused"]["message"]


def test_unclaimed_seat_ends_when_the_page_closes(bench):
    take_seat(bench, bench.add_visitor(), "light")
    assert len(list(bench.seat_book)) == 1
    bench.remove_visitor()
    assert list(bench.seat_book) == []
    assert bench.heard[-1] == {"command": "seats", "seats": []}


def test_new_seat_applies_to_the_whole_browser(bench):
    visitor, other_page, stranger = bench.add_visitor(LIGHT), bench.add_visitor(), bench.add_visitor()
    other_page.token = visitor.token
    bench.access.fetch_token(take_seat(bench, visitor, "dark"), visitor.token)
    assert [seat.sides for seat in bench.seat_book] == [(DARK,)]
    assert bench.list_messages(other_page)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert bench.list_messages(stranger)["you"]["seat"] is None


def refuse_requests(bench, visitor, count):
    for _ in range(count):
        assert bench.request(visitor, seat=["light"])
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})


def test_repeated_refusals_lock_the_visitor_out(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(seat_access, "monotonic", lambda: clock[0])
    visitor = bench.add_visitor()
    refuse_requests(bench, visitor, MAX_REFUSALS_PER_SOURCE)
    assert bench.request(visitor, seat=["light"]) == []
    assert "asked too often" in bench.list_messages(visitor)["refused"]["message"]
    for number in range(MAX_REFUSALS // MAX_REFUSALS_PER_SOURCE - 1):
        refuse_requests(bench, bench.add_visitor(address=f"192.168.2.{number}"), MAX_REFUSALS_PER_SOURCE)
    stranger = bench.add_visitor(address="192.168.3.1")
    assert bench.request(stranger, seat=["light"]) == []
    assert "send all phones away" in bench.list_messages(stranger)["refused"]["message"]
    clock[0] += 601
    assert bench.request(visitor, seat=["light"])


def withdraw_often(bench, visitor, count):
    for _ in range(count):
        assert bench.request(visitor, seat=["light"])
        assert bench.request(visitor, seat=None)
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})


def test_withdrawals_do_not_lock_out_others(bench):
    for number in range(4):
        withdraw_often(bench, bench.add_visitor(address=f"192.168.2.{number}"), 40)
    assert bench.request(bench.add_visitor(address="192.168.3.1"), seat=["light"])


def test_repeated_withdrawals_lock_the_visitor_out(bench):
    visitor = bench.add_visitor()
    withdraw_often(bench, visitor, 49)
    while bench.request(visitor, seat=["light"]):
        assert bench.request(visitor, seat=None)
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})
    assert "asked too often" in bench.list_messages(visitor)["refused"]["message"]


def test_withdrawal_is_weighted_by_its_duration(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(seat_access, "monotonic", lambda: clock[0])
    visitor = bench.add_visitor()
    for _ in range(6):
        assert bench.request(visitor, seat=["light"])
        clock[0] += 55
        bench.request(visitor, seat=None)
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})
    assert bench.request(visitor, seat=["light"]) == []


def test_revoking_at_the_board_ends_the_lockout(bench):
    visitor = bench.add_visitor()
    refuse_requests(bench, visitor, MAX_REFUSALS_PER_SOURCE)
    assert bench.request(visitor, seat=["light"]) == []
    bench.receive_line({"type": "revoked", "seat": None})
    assert bench.request(visitor, seat=["light"])


def test_lockout_of_strangers_spares_seats(bench):
    for number in range(MAX_REFUSALS // MAX_REFUSALS_PER_SOURCE):
        refuse_requests(bench, bench.add_visitor(address=f"192.168.2.{number}"), MAX_REFUSALS_PER_SOURCE)
    assert bench.request(bench.add_visitor(address="192.168.3.1"), seat=["light"]) == []
    assert bench.request(bench.add_visitor(LIGHT, address="192.168.2.1"), command="resign")


def test_ipv6_spellings_count_as_one_machine(bench):
    for number in range(1, MAX_REFUSALS_PER_SOURCE + 1):
        refuse_requests(bench, bench.add_visitor(address=f"2001:db8::{number}"), 1)
    assert bench.request(bench.add_visitor(address="2001:db8:0:0:7::9"), seat=["light"]) == []


def test_ipv6_addresses_of_a_network_count_together(bench):
    for number in range(MAX_REFUSALS_PER_SOURCE):
        refuse_requests(bench, bench.add_visitor(address=f"fe80:1:2:3::{number}"), 1)
    assert bench.request(bench.add_visitor(address="fe80:1:2:3:7::9"), seat=["light"]) == []
    assert bench.request(bench.add_visitor(address="fe80:1:2:4::9"), seat=["light"])


def test_game_without_spectators_needs_a_seat(closed_bench):
    bench = closed_bench
    visitor = bench.add_visitor()
    seen = bench.list_messages(visitor)
    assert list(seen) == ["you", "hello"]
    assert not {"names", "players"} & seen["hello"].keys()
    bench.seat_book.give_seat(visitor.token, (LIGHT,))
    assert list(bench.list_messages(visitor)) == ["you", "hello", "state", "seats", "turns"]
    bench.play("@b2")
    bench.receive_line({"type": "revoked", "seat": 1})
    bench.play("@b3")
    assert list(bench.list_messages(visitor)) == ["you", "hello"]


def test_seats_are_swapped_with_the_homes(bench):
    player = bench.add_visitor(LIGHT)
    bench.receive_line({"type": "swapped"})
    assert bench.list_messages(player)["you"]["seat"]["sides"] == ["dark"]


def test_seat_acts_only_for_its_sides(bench):
    dark = bench.add_visitor(DARK)
    assert bench.request(dark, command="action", action="@b2") == []
    assert bench.list_messages(dark)["refused"]["message"] == "It's Light's turn, and your seat isn't for that side."
    bench.play("@b2")
    assert bench.request(dark, command="done") == [{"command": "done", "side": "dark"}]
    assert bench.request(dark, command="action", action="@b3") == [
        {"command": "action", "action": "@b3", "side": "dark"}
    ]


@each(
    "request_fields",
    [
        {"command": "action", "action": "@b2"},
        {"command": "undo"},
        {"command": "hint"},
        {"command": "done"},
        {"command": "resign"},
        {"command": "new", "variant": "mini"},
        {"revoke": 1},
        {"ask": "what_if", "action": "@b2"},
        {"ask": "games"},
        {"ask": "game", "number": 1},
        {"ask": "health"},
        {"ask": "doctor"},
        {"ask": "exercises"},
        {"command": "exercise", "course": "lessons", "name": "hop"},
        {"command": "exercise", "choice": "leave"},
        {"command": "brightness", "brightness": 0.5},
        {"command": "help", "side": "light", "level": "none"},
        {"command": "head_start", "side": "light", "pieces": 1},
        {"command": "hint_limit", "side": "light", "hints": 3},
        {"command": "fair_start", "on": True},
    ],
)
def test_requests_without_a_seat_are_refused(bench, request_fields):
    visitor = bench.add_visitor()
    assert bench.request(visitor, **request_fields) == []
    assert bench.list_messages(visitor)["refused"]["message"] == "You have no seat yet. Ask for one first."


@each(
    "name, fields",
    [
        ("resign", {"side": "light"}),
        ("draw", {}),
        ("discard", {}),
    ],
)
def test_ending_a_game_needs_confirmation(bench, name, fields):
    visitor = bench.add_visitor(LIGHT)
    assert bench.request(visitor, command=name) == [{"command": name, "confirm": True, **fields}]
    bench.receive_line({"type": "permission", "for": name, "allowed": True})
    assert bench.list_messages(visitor)["granted"] == {"type": "granted", "for": name}
    bench.remove_visitor()


def test_rematch_swaps_players_and_seats(bench):
    ada, ben, both = bench.add_visitor(LIGHT), bench.add_visitor(DARK), bench.add_visitor(LIGHT, DARK)
    players, names = {"light": None, "dark": None}, {"light": "Ben", "dark": "Ada"}
    assert bench.request(ada, command="rematch") == [
        {"command": "new", "confirm": True, "variant": "standard", "players": players, "names": names}
    ]
    bench.receive_line({"type": "permission", "for": "new", "allowed": False})
    assert bench.list_messages(ada)["you"]["seat"]["sides"] == ["light"]
    bench.request(ada, command="rematch")
    bench.receive_line({"type": "permission", "for": "new", "allowed": True})
    sides = [bench.list_messages(visitor)["you"]["seat"]["sides"] for visitor in (ada, ben, both)]
    assert sides == [["dark"], ["light"], ["light", "dark"]]
    seats = [{"seat": 1, "sides": ["dark"]}, {"seat": 2, "sides": ["light"]}, {"seat": 3, "sides": ["light", "dark"]}]
    assert bench.heard[1:] == [{"command": "seats", "seats": seats}, {"ask": "record"}]


def test_program_has_no_name_in_a_rematch(bench):
    visitor = bench.add_visitor(LIGHT)
    players = {"light": None, "dark": "level-3"}
    bench.receive_line(protocol.hello_message(bench.session, 4, {"players": players, "names": {"light": "Ada"}}))
    (asked,) = bench.request(visitor, command="rematch")
    assert asked["players"] == {"light": "level-3", "dark": None}
    assert asked["names"] == {"light": None, "dark": "Ada"}


def test_undoing_own_turn_needs_no_press(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2")
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 1}]
    bench.session = bench.session.after(UndoTurns(2.0))
    bench.receive_state()
    assert bench.request(visitor, command="redo") == [{"command": "redo", "turn": 1}]


def test_undoing_the_other_side_needs_a_press(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2", "@b3")
    assert bench.request(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]
    assert bench.list_messages(visitor)["you"]["asking"]["for"] == "undo"
    bench.receive_line({"type": "permission", "for": "undo", "allowed": True})
    bench.session = bench.session.after(UndoTurns(3.0))
    bench.receive_state()
    assert bench.request(visitor, command="redo") == [{"command": "redo", "turn": 2, "confirm": True}]


def test_undoing_an_earlier_turn_needs_a_press(bench):
    """The last turn is the other side's if the player's own last turn has already been undone."""
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2", "@b3", "@a1")
    assert bench.request(visitor, command="undo", turn=3) == [{"command": "undo", "turn": 3}]
    assert bench.request(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]


@each("side", [LIGHT, DARK])
def test_undoing_the_game_end_needs_a_press(bench, side):
    visitor = bench.add_visitor(side)
    bench.play("@b2")
    bench.session = bench.session.after(ResignGame(2.0, LIGHT))
    bench.receive_state()
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 2, "confirm": True}]
    bench.receive_line({"type": "permission", "for": "undo", "allowed": False})
    bench.remove_visitor()


def test_seat_for_both_sides_needs_no_press(bench):
    visitor = bench.add_visitor(LIGHT, DARK)
    bench.play("@b2")
    bench.session = bench.session.after(ResignGame(2.0, LIGHT))
    bench.receive_state()
    for asked in (
        {"command": "undo", "turn": 2},
        {"command": "help", "side": "dark", "level": "none"},
        {"command": "head_start", "side": "dark", "pieces": 2},
    ):
        assert bench.request(visitor, **asked) == [asked]


def test_undoing_a_program_turn_needs_no_press(bench):
    visitor = bench.add_visitor(LIGHT)
    players = {"players": {"light": None, "dark": "level-1"}}
    bench.receive_line(protocol.hello_message(bench.session, 4, players))
    bench.play("@b2", "@b3")
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 2}]


@each(
    "setting, needs_press",
    [
        ({"command": "help", "side": "light", "level": "none"}, False),
        ({"command": "help", "side": "dark", "level": "none"}, True),
        ({"command": "hint_limit", "side": "light", "hints": 1}, False),
        ({"command": "hint_limit", "side": "dark", "hints": 1}, True),
        ({"command": "head_start", "side": "light", "pieces": 5}, True),
        ({"command": "head_start", "side": "dark", "pieces": 5}, True),
        ({"command": "brightness", "brightness": 0.5}, False),
        ({"command": "fair_start", "on": True}, False),
    ],
)
def test_changing_other_sides_settings_needs_a_press(bench, setting, needs_press):
    visitor = bench.add_visitor(LIGHT)
    confirm = {"confirm": True} if needs_press else {}
    assert bench.request(visitor, **setting) == [setting | confirm]
    if needs_press:
        assert bench.list_messages(visitor)["you"]["asking"]["for"] == "setting"
        bench.receive_line({"type": "permission", "for": setting["command"], "allowed": False})
    bench.remove_visitor()


def test_revoking_another_seat_needs_a_press(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    assert bench.request(visitor, revoke=7) == []
    assert bench.request(visitor, revoke=2) == [{"command": "revoke", "seat": 2, "confirm": True}]
    bench.receive_line({"type": "revoked", "seat": 2})
    bench.receive_line({"type": "permission", "for": "revoke", "seat": 2, "allowed": True})
    assert bench.list_messages(other)["you"]["seat"] is None
    bench.request(visitor, revoke=1)
    assert bench.list_messages(visitor)["you"]["seat"] is None


def test_lost_board_refuses_the_request(bench):
    visitor = bench.add_visitor()
    bench.request(visitor, seat=["light"])
    bench.board.lose_board()
    seen = bench.list_messages(visitor)
    assert seen["you"]["asking"] is None
    assert "isn't responding" in seen["refused"]["message"]


def test_new_connection_gets_the_seats(bench):
    bench.add_visitor(LIGHT)
    bench.board.on_connect()
    assert bench.heard[-1] == {"command": "seats", "seats": [{"seat": 1, "sides": ["light"]}]}


def test_board_error_goes_to_the_requester(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    bench.list_messages(other)
    bench.request(visitor, command="draw")
    said = [{"id": "remote.busy", "arguments": {}}]
    bench.receive_line({"type": "error", "message": "…", "said": said})
    assert "Another phone is asking" in bench.list_messages(visitor)["refused"]["message"]
    assert "refused" not in bench.list_messages(other)
