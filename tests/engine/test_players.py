"""Computer players."""

from dataclasses import replace
from queue import SimpleQueue

import pytest

from pond_hw.engine import LEVEL_NAMES, PLAYER_NAMES, make_player
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import pack_action
from pond_hw.engine.player_name import MAX_NAME_LENGTH, find_name_fault, name_player
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Position, Record, find_outcome, parse_record, parse_variant, play
from tests.conftest import each, long_after_first
from tests.engine.tactics import action_gain
from tests.messages.says import text

QUICK = "random", "greedy", "level-1", "level-3"


@pytest.fixture
def seated():
    """Function that creates players. They are closed at the end of the test."""
    guests = []

    def sit(name, seed, **more):
        guests.append(make_player(name, seed, **more))
        return guests[-1]

    yield sit
    for guest in guests:
        guest.close()


def game_between(light, dark, pond="standard", start=None):
    """Play a whole game between two players."""
    game = Record(parse_variant(pond), custom_start=start)
    while find_outcome(game.position) is None:
        answers = SimpleQueue()
        (dark if game.position.to_move else light).request_action(game, answers.put)
        game = replace(game, turns=(*game.turns, play(game.position, answers.get(timeout=30))))
    return game


def set_up(line):
    """Return a standard game that begins in this position."""
    return Record(custom_start=Position.from_notation(line))


@pytest.mark.parametrize(
    ("pond", "name"),
    long_after_first([(pond, name) for pond in ("standard", "big", "3x3/6/3") for name in QUICK], 2),
)
def test_player_acts_legally_and_repeats_with_same_seed(name, pond, seated):
    games = [game_between(seated(name, 1), seated(name, 2), pond) for _ in range(2)]
    assert games[0].outcome
    assert str(games[0]) == str(games[1])
    assert str(game_between(seated(name, 3), seated(name, 4), pond)) != str(games[0])


def test_human_player_has_no_engine():
    assert make_player("human", 0) is None


def test_every_player_name_is_translated():
    for language in LANGUAGES:
        names = [get_catalogue(language).text(name_player(name, None)) for name in PLAYER_NAMES]
        assert len(set(names)) == len(names)
    assert text(name_player("level-2", None)) == "beginner (level 2)"
    assert set(LEVEL_NAMES.values()) < set(PLAYER_NAMES)


def test_person_cannot_have_a_level_name():
    for name in ("Club", "Remote"):
        assert find_name_fault(name) == Message("argument.taken_name", name=name)


def test_player_in_another_home_has_its_own_name_or_none():
    assert text(name_player("remote", "Ada")) == "Ada"
    assert text(name_player("remote", None)) == text(name_player(None, "remote")) == "the other home"


@each("name", ["", "Ada", "\u1ec7", "e\u0323\u0302", "\u0939\u093f\u0902\u0926\u0940", "\U0001f438"])
def test_accented_letters_are_allowed_in_names(name):
    assert find_name_fault(name) is None


def test_name_must_contain_letters():
    name = 30 * "\u0301"
    assert find_name_fault(name) == Message("argument.bad_name", name=name[:20], longest=MAX_NAME_LENGTH)


def test_unknown_player_is_rejected():
    with pytest.raises(PondError) as refused:
        make_player("deep", 0)
    assert refused.value.message == Message("player.unknown", name="deep", names=PLAYER_NAMES)
    assert "greedy" in text(refused.value.message)


@pytest.mark.parametrize(
    ("line", "action", "difference"),
    [
        # An egg on d1 turns light's frog on d2 into an egg, which makes a column of three with the egg on d3:
        #   4 . . . .
        #   3 . . . E
        #   2 . . t F
        #   1 . . . .
        ("..../...E/..tF/.... l 11 12 0 0", "@d1", 3),
        # Dark's egg on a2 turns the frogs on a1 and a3 into eggs, and light's egg on a4 scores with them:
        #   4 E f . E
        #   3 f . . .
        #   2 . . . .
        #   1 f . . .
        ("Ef.E/f.../..../f... d 6 4 5 6", "@a2", 3 - 1),
        # Everything else costs light even more:
        #   4 T . . t
        #   3 . t e T
        #   2 e f t F
        #   1 T f t e
        ("T..t/.teT/eftF/Tfte l 1 0 8 4", "a4a3", -2),
    ],
)
def test_greedy_maximizes_the_gain_of_this_turn(line, action, difference):
    answers = []
    make_player("greedy", 0).request_action(set_up(line), answers.append)
    assert [str(answer) for answer in answers] == [action]
    game = EngineGame.from_record(set_up(line))
    assert action_gain(game.rules, game.position, pack_action(answers[0], game.variant)) == difference


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("to_move", long_after_first("dl"))
def test_player_thinks_from_custom_start(name, to_move, seated):
    """The pond is almost full, so an action for the empty one would be illegal."""
    #   4 F e T E    1 egg in light's spawn, none in dark's
    #   3 T f t e
    #   2 . T f t
    #   1 E e F E
    start = Position.from_notation(f"FeTE/Tfte/.Tft/EeFE {to_move} 1 0 4 6")
    for seed in range(2):
        game = game_between(seated(name, seed), seated(name, seed + 50), start=start)
        assert game.turns[0].before == start
        assert game.outcome
        assert parse_record(str(game)) == game


def test_greedy_chooses_among_equal_actions_at_random():
    answers = []
    for seed in range(40):
        make_player("greedy", seed).request_action(set_up("..../..../..../.... l 13 13 0 0"), answers.append)
    assert len(set(answers)) > 8


def test_greedy_beats_random_more_often_than_not():
    won = sum(
        game_between(make_player("greedy", n), make_player("random", n)).result_text.startswith("light")
        for n in range(20)
    )
    assert won >= 15
