"""Seats of phones and their tokens."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.rules import DARK, LIGHT, Side
from pond_hw.web.seat_book import COOKIE_NAME, MAX_AGE, MAX_SEATS, SeatBook, find_token, format_cookie, make_token
from tests.conftest import each

NOW = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "state" / "web-seats.json"


def test_seat_is_found_by_its_token(file):
    book, ada, ben = SeatBook(file), make_token(), make_token()
    assert (book.give_seat(ada, (LIGHT,)).number, book.give_seat(ben, tuple(Side)).number) == (1, 2)
    for each_book in (book, SeatBook(file)):
        assert each_book.find_seat(ada).sides == (LIGHT,)
        assert each_book.find_seat(ben).sides == (LIGHT, DARK)
        for stranger in (None, "", ada[:-1], ada + "A", make_token(), ada.swapcase()):
            assert each_book.find_seat(stranger) is None


def test_seat_file_is_private_and_has_no_tokens(file):
    token = make_token()
    SeatBook(file).give_seat(token, (DARK,))
    assert token not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_second_seat_replaces_the_first(file):
    book, token = SeatBook(file), make_token()
    book.give_seat(token, (LIGHT,))
    book.give_seat(token, (DARK,))
    assert [(seat.number, seat.sides) for seat in book] == [(1, (DARK,))]
    other = make_token()
    assert book.give_seat(other, (LIGHT,)).number == 2


def test_revoked_seat_stays_revoked(file):
    book, tokens = SeatBook(file), [make_token() for _ in range(3)]
    for token in tokens:
        book.give_seat(token, (LIGHT,))
    assert book.revoke(2)
    assert not book.revoke(2)
    assert [seat.number for seat in SeatBook(file)] == [1, 3]
    assert SeatBook(file).find_seat(tokens[1]) is None
    assert book.revoke(None)
    assert list(SeatBook(file)) == []


def test_swapped_sides_are_stored(file):
    book, tokens = SeatBook(file), [make_token() for _ in range(3)]
    for token, sides in zip(tokens, ((LIGHT,), (DARK,), (LIGHT, DARK)), strict=True):
        book.give_seat(token, sides)
    book.swap_sides()
    for each_book in (book, SeatBook(file)):
        assert [seat.sides for seat in each_book] == [(DARK,), (LIGHT,), (LIGHT, DARK)]


def test_number_of_seats_is_limited(file):
    book = SeatBook(file)
    for _ in range(MAX_SEATS):
        assert not book.is_full
        book.give_seat(make_token(), (LIGHT,))
    assert book.is_full


def test_old_seat_expires(file):
    token = make_token()
    given_at = SeatBook(file).give_seat(token, (LIGHT,)).given_at
    assert SeatBook(file, given_at + MAX_AGE - timedelta(seconds=1)).find_seat(token)
    assert SeatBook(file, given_at + MAX_AGE).find_seat(token) is None
    assert list(SeatBook(file, given_at - timedelta(days=300))), "a Pi without a clock starts in the past"


@each(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"seats":1}',
        '{"seats":[1,{}]}',
        '{"seats":[{"number":"x","sides":["light"],"given":"2026-11-26T20:00:00+00:00","token_sha256":"a"}]}',
        '{"seats":[{"number":1,"sides":["blue"],"given":"2026-11-26T20:00:00+00:00","token_sha256":"a"}]}',
        '{"seats":[{"number":1,"sides":["light"],"given":"never","token_sha256":"a"}]}',
        '{"seats":[{"number":1,"sides":["light"],"given":"2026-11-26T20:00:00","token_sha256":"a"}]}',
    ],
)
def test_damaged_file_gives_no_seats(tmp_path, text):
    file = tmp_path / "web-seats.json"
    file.write_text(text)
    assert list(SeatBook(file, NOW)) == []


def test_valid_seat_beside_an_invalid_seat_is_kept(file):
    token = make_token()
    SeatBook(file).give_seat(token, (LIGHT,))
    stored = json.loads(file.read_text())
    file.write_text(json.dumps({"seats": [{"number": 7}, *stored["seats"]]}))
    assert SeatBook(file).find_seat(token)


def test_unsaved_seat_is_valid(tmp_path):
    (tmp_path / "state").write_text("no folder")
    book, token = SeatBook(tmp_path / "state" / "web-seats.json"), make_token()
    with pytest.raises(OSError, match="state"):
        book.give_seat(token, (LIGHT,))
    assert book.find_seat(token)


def test_revoking_on_a_full_disk_deletes_the_file(file, monkeypatch):
    book, tokens = SeatBook(file), [make_token() for _ in range(2)]
    for token in tokens:
        book.give_seat(token, (LIGHT,))

    def refuse(*_):
        raise OSError("no space left")

    monkeypatch.setattr("pond_hw.web.seat_book.replace_file", refuse)
    with pytest.raises(OSError, match="no space"):
        book.revoke(1)
    assert book.find_seat(tokens[0]) is None
    assert book.find_seat(tokens[1])
    assert list(SeatBook(file)) == []


def test_cookie_is_hidden_from_scripts_and_other_sites():
    token = make_token()
    name, *attributes = format_cookie(token).split("; ")
    assert name == f"{COOKIE_NAME}={token}"
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(attributes)
    assert find_token(name) == find_token(f"a=b; {name}; c=d") == token


@each(
    "header",
    [
        "",
        f"{COOKIE_NAME}=",
        f"{COOKIE_NAME}={'A' * 42}",
        f"{COOKIE_NAME}={'A' * 44}",
        f"{COOKIE_NAME}={'A' * 42}é",
        f"{COOKIE_NAME}={'A' * 43}; {COOKIE_NAME}={'B' * 43}",
        f"x{COOKIE_NAME}={'A' * 43}",
        f'{COOKIE_NAME}="{"A" * 41}"',
    ],
)
def test_invalid_tokens_are_read_as_none(header):
    assert find_token(header) is None


@given(st.lists(st.tuples(st.sampled_from(["give", "take"]), st.integers(0, 3)), max_size=20))
def test_random_seat_operations_give_the_expected_seats(tmp_path_factory, steps):
    file = tmp_path_factory.mktemp("seats") / "web-seats.json"
    book, tokens, seated = SeatBook(file), [make_token() for _ in range(4)], {}
    for step, who in steps:
        if step == "give":
            seated[who] = book.give_seat(tokens[who], (Side(who % 2),)).number
        elif who in seated:
            assert book.revoke(seated.pop(who))
        for each_book in (book, SeatBook(file)):
            found = {n: seat.number for n, token in enumerate(tokens) if (seat := each_book.find_seat(token))}
            assert found == seated
        assert len(set(seated.values())) == len(seated)
