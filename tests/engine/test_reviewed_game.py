"""Reviewed turns and games: explanations of mistakes, and the standing at the end of the game."""

import pytest

from pond_hw.engine.analysis import MoveReview
from pond_hw.engine.packed import WIN_VALUE
from pond_hw.engine.reviewed_game import ANALYSIS_COMMENT, ReviewedGame, ReviewedTurn, describe_pieces
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, EndReason, Outcome, Record, Side, parse_record
from tests.messages.says import text


def review_of(value, best_value, line, better, side=LIGHT):
    line, better = (tuple(map(Action.from_notation, actions.split())) for actions in (line, better))
    return MoveReview(side, line[0], value, better[0], best_value, 5, line, better)


def test_explanation_names_a_set_given_away():
    record = parse_record('[Position "ef../..../..../E..E l 11 11 0 0"]\n\n1. @b2')
    messages = ReviewedTurn(record, 0, review_of(-300, 0, "@b2 @c4", "@c4 @b2")).explanation
    assert messages == (
        Message("mistake.gave_away", side="light", other="dark", action="@b2", count=3),
        Message("better.level", side="light", action="@c4", pieces=0.0),
        Message("mistake.later", side="dark", action="@c4"),
        Message("turn.set.egg", cells=("a4", "b4", "c4"), count=3),
        Message("turn.gain", side="dark", count=3),
    )


def test_explanation_names_action_scoring_for_opponent():
    record = parse_record('[Position "ef../..../..../E..E l 11 11 0 0"]\n\n1. @c4')
    messages = ReviewedTurn(record, 0, review_of(-300, 0, "@c4 @b2", "@b2 @d3")).explanation
    assert messages[2:] == (
        Message("mistake.at_once.turn", side="light", action="@c4"),
        Message("turn.set.egg", cells=("a4", "b4", "c4"), count=3),
        Message("turn.gain", side="light", count=1),
        Message("turn.gain", side="dark", count=2),
    )


def test_explanation_names_a_missed_set():
    record = parse_record('[Position "EF../..../..../e..e l 11 11 0 0"]\n\n1. @b2')
    messages = ReviewedTurn(record, 0, review_of(40, 290, "@b2 @c4", "@c4 @b2")).explanation
    assert messages == (
        Message("mistake.missed", side="light", other="dark", action="@b2", count=3),
        Message("better.ahead", side="light", action="@c4", pieces=2.9),
        Message("mistake.at_once.preview", side="light", action="@c4"),
        Message("preview.set.egg", cells=("a4", "b4", "c4"), count=3),
        Message("preview.gain", side="light", count=3),
    )


@pytest.mark.parametrize(
    ("value", "best_value", "line", "mistake", "better"),
    [
        (-WIN_VALUE + 3, WIN_VALUE - 4, "@b2", "lost_won_game", Message("better.wins", side="light", action="@c4", count=3)),
        (0, WIN_VALUE - 1, "@b2", "missed_win", Message("better.wins_at_once", side="light", action="@c4")),
        (-WIN_VALUE + 3, -130, "@b2", "let_win", Message("better.behind", side="light", action="@c4", pieces=1.3)),
        (-100, 0, "@b2", "cost", Message("better.level", side="light", action="@c4", pieces=0.0)),
    ],
)  # fmt: skip
def test_explanation_names_the_effect_of_a_mistake(value, best_value, line, mistake, better):
    messages = ReviewedTurn(parse_record("1. @b2"), 0, review_of(value, best_value, line, "@c4")).explanation
    first, second = messages
    assert (first.id, first.arguments["side"], first.arguments["other"]) == (f"mistake.{mistake}", "light", "dark")
    assert (first.arguments["action"], second) == ("@b2", better)


@pytest.mark.parametrize(
    ("value", "best_value", "remark"),
    [
        (0, 0, None),
        (-60, 0, "slip"),
        (-100, 0, "mistake"),
        (-200, 0, "blunder"),
        (0, WIN_VALUE - 4, "win_missed"),
        (WIN_VALUE - 6, WIN_VALUE - 4, "sooner"),
        (WIN_VALUE - 5, WIN_VALUE - 4, None),
    ],
)
def test_remark_names_the_better_action(value, best_value, remark):
    message = ReviewedTurn(parse_record("1. @b2"), 0, review_of(value, best_value, "@b2", "@c4")).remark
    assert (message and message.id) == (remark and f"remark.{remark}")
    if message:
        assert message.arguments["action"] == "@c4"
        level = Message("worth.level", pieces=0.0)
        assert message.arguments["worth"] == (
            Message("worth.wins_in", side="light", actions=3) if best_value else level
        )


def test_piece_values_have_one_decimal_digit():
    assert [text(describe_pieces(worth)) for worth in (0, 4, -4, 5, -5, 130, -1999)] == [
        "0.0", "0.0", "0.0", "+0.1", "-0.1", "+1.3", "-20.0",
    ]  # fmt: skip


NO_TURNING_POINT = Message("analysis.no_turning_point")


def decision(kind, **arguments):
    return Message(f"decision.{kind}", **arguments)


def resigned(standing, side, other, **arguments):
    return decision(f"resigned.{standing}", side=side, other=other, **arguments)


@pytest.mark.parametrize(
    ("winner", "reason", "value", "expected"),
    [
        (Side.DARK, EndReason.RESIGNATION, WIN_VALUE - 6, resigned("won", "light", "dark", count=5)),
        (Side.DARK, EndReason.RESIGNATION, 6 - WIN_VALUE, resigned("lost", "light", "dark", count=5)),
        (Side.DARK, EndReason.RESIGNATION, -130, resigned("behind", "light", "dark", pieces=1.3)),
        (Side.DARK, EndReason.RESIGNATION, 130, resigned("ahead", "light", "dark", pieces=1.3)),
        (Side.LIGHT, EndReason.RESIGNATION, 10, resigned("level", "dark", "light", pieces=0.1)),
        (None, EndReason.AGREEMENT, 40, decision("agreed.ahead", side="light", other="dark", pieces=0.4)),
        (None, EndReason.AGREEMENT, 20, decision("agreed.level", side="light", other="dark", pieces=0.2)),
        (None, EndReason.AGREEMENT, 6 - WIN_VALUE, decision("agreed.won", side="dark", other="light", count=5)),
        (None, None, 40, decision("open.ahead", side="light", other="dark", pieces=0.4)),
        (None, None, -4, decision("open.level", side="dark", other="light", pieces=0.0)),
    ],
)
def test_decision_of_a_game_ended_by_its_players(winner, reason, value, expected):
    game = parse_record("1. @b2")
    ended = Record(game.variant, game.turns, Outcome(winner, reason) if reason else None)
    messages = ReviewedGame(ended, [review_of(value, value, "@b2", "@b2")]).decision
    assert messages == (NO_TURNING_POINT, expected)
    assert text(messages)


@pytest.mark.parametrize("light_score", [WIN_VALUE - 6, 6 - WIN_VALUE])
def test_decision_without_turning_point_blames_no_action(light_score):
    record = parse_record("1. @b2")
    assert ReviewedGame(record, [review_of(light_score, light_score, "@b2", "@b2")]).decision == (NO_TURNING_POINT,)


def test_turning_point_decides_the_game():
    reviews = [review_of(6 - WIN_VALUE, 0, "@b2", "@c4")]
    decided = decision("since", number=1, side="light", action="@b2", winner="dark", loser="light", count=5)
    assert ReviewedGame(parse_record("1. @b2"), reviews).decision == (decided,)


def test_short_value_fits_in_seven_columns():
    def short_value(value, side=LIGHT):
        review = MoveReview(side, Action.from_notation("@b2"), value, Action.from_notation("@b2"), value, 1, (), ())
        return text(ReviewedTurn(parse_record("1. @b2"), 0, review).short_value)

    values = (130, LIGHT), (130, DARK), (WIN_VALUE - 13, LIGHT), (WIN_VALUE - 1, DARK), (5 - WIN_VALUE, LIGHT)
    assert [short_value(*each) for each in values] == ["+1.3", "-1.3", "L in 12", "D won", "D in 4"]


@pytest.mark.parametrize(
    "worth", ["+0.3", "-12.0", "0.0", "dark wins", "light wins in 3", "Dark wins", "Light wins in 3"]
)
def test_comment_of_an_older_analysis_is_removed(worth):
    assert ANALYSIS_COMMENT.sub("", f"in the middle [{worth}; so it was]") == "in the middle"
