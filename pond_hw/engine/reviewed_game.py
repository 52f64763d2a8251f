"""Presentation of reviewed games as messages, comments and JSON. This module does no I/O.

`pond analyse`, the terminal and the phone page only lay out what this module returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from heapq import nlargest

from pond_hw.engine import analysis
from pond_hw.engine.analysis import MoveReview, actions_to_end
from pond_hw.engine.packed import MIN_WIN_VALUE
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, EndReason, Record, Side, Turn
from pond_hw.session import describe_sets

MAX_TURNING_POINTS = 5
"""Maximum number of turning points to explain. The worst mistakes are chosen."""

LEVEL_MARGIN = 25
"""Limit below which a game counts as level, in hundredths of a piece."""

EXPLAINED_ACTIONS = 4
"""Number of actions, starting with the mistake, that are searched for the sets to name in an explanation."""

ANALYSIS_COMMENT = re.compile(r" ?\[(?:[+-]?[0-9]+\.[0-9]|(?:[Ll]ight|[Dd]ark) wins)[^\[\]]*\]$", re.ASCII)
"""Pattern for the text that an earlier analysis appended to a comment."""


@dataclass(frozen=True)
class ReviewedTurn:
    """Turn with a review of its action.

    Attributes:
        record: game that contains the turn.
        index: number of turns before this one.
        review: review of the action.
    """

    record: Record
    index: int
    review: MoveReview

    @property
    def pair_number(self) -> int:
        """Number of the pair of actions to which this turn belongs."""
        return pair_number(self.record, self.index)

    @property
    def value(self) -> Message:
        """Value of the action from light's point of view: `+1.3`, or `Light wins in 5`."""
        return _describe_value(self.review.value_for_light(self.review.value))

    @property
    def short_value(self) -> Message:
        """Value of the action in at most seven columns: `+1.3`, `L in 12`, `D won`."""
        light_value = self.review.value_for_light(self.review.value)
        if abs(light_value) < MIN_WIN_VALUE:
            return describe_pieces(light_value)
        actions_left, winner = actions_to_end(light_value), LIGHT if light_value > 0 else DARK
        return Message(f"short_worth.{winner}.{'wins_in' if actions_left else 'won'}", actions=actions_left)

    @property
    def remark(self) -> Message | None:
        """Short remark on a bad or slow action, with the better action; None for good actions."""
        review, kind = self.review, "sooner"
        if review.mistake_grade:
            kind = "win_missed" if review.missed_win else review.mistake_grade.name.lower()
        elif review.value < MIN_WIN_VALUE or review.best_value <= review.value + 1:
            return None
        best_value = _describe_value(review.value_for_light(review.best_value))
        return Message(f"remark.{kind}", action=str(review.best), worth=best_value)

    @property
    def explanation(self) -> tuple[Message, ...]:
        """Explanation of the mistake: what it cost, the better action, and the sets involved."""
        review = self.review
        loss_kind, sets = self._explain_loss()
        if review.missed_win and review.threw_away_game:
            loss_kind = "lost_won_game"
        elif review.missed_win:
            loss_kind = "missed_win"
        elif review.threw_away_game:
            loss_kind = "let_win"
        mistake = Message(
            f"mistake.{loss_kind}",
            side=str(review.side),
            other=str(review.side.other_side),
            action=str(review.taken),
            count=(review.value_loss + 50) // 100,
        )
        return mistake, _describe_better(review), *sets

    @property
    def turning_point(self) -> tuple[Message, ...]:
        return Message("analysis.turning_point", number=self.pair_number), *self.explanation

    def _explain_loss(self) -> tuple[str, tuple[Message, ...]]:
        """Return the kind of loss, and the set that causes most of it, if any."""
        before, side = self.record.turns[self.index].before, self.review.side
        played_turns, better_turns = (
            analysis.play_actions(before, line[:EXPLAINED_ACTIONS]) for line in (self.review.line, self.review.better)
        )

        def gain(turn: Turn) -> int:
            return len(turn.scored_cells[side]) - len(turn.scored_cells[side.other_side])

        if sum(map(gain, played_turns)) >= sum(map(gain, better_turns)):
            return "cost", ()
        kind, subject, turn = "gave_away", "turn", min(played_turns, key=gain)
        if gain(turn) >= 0:
            kind, subject, turn = "missed", "preview", max(better_turns, key=gain)
        when = f"at_once.{subject}" if turn.before == before else "later"
        place = Message(f"mistake.{when}", side=str(turn.side), action=str(turn.action))
        return kind, (place, *describe_sets(subject, turn))

    def to_json(self) -> dict[str, object]:
        """Convert the review to JSON for programs and the phone page.

        Values are in pieces. A forced win has a number of actions instead of a value.
        """
        review = self.review
        return {
            "turn": self.index + 1,
            "side": str(review.side),
            "action": str(review.taken),
            **_value_to_json(review.value_for_light(review.value)),
            "best": {"action": str(review.best), **_value_to_json(review.value_for_light(review.best_value))},
            "loss": review.value_loss / 100,
            "fault": review.mistake_grade.name.lower() if review.mistake_grade else None,
            "win_missed": review.missed_win,
            "turning_point": review.is_turning_point,
            "depth": review.depth,
            "line": [str(action) for action in review.line],
            "better": [str(action) for action in review.better],
        }


class ReviewedGame:
    """Game with a review of every turn, or of the first turns only."""

    def __init__(self, record: Record, move_reviews: Iterable[MoveReview] = ()) -> None:
        self.record = record
        self.turns = list[ReviewedTurn]()
        for review in move_reviews:
            self.add_review(review)

    def add_review(self, review: MoveReview) -> None:
        self.turns.append(ReviewedTurn(self.record, len(self.turns), review))

    @property
    def is_complete(self) -> bool:
        return len(self.turns) == len(self.record.turns)

    @property
    def move_reviews(self) -> list[MoveReview]:
        return [turn.review for turn in self.turns]

    @property
    def turning_points(self) -> list[ReviewedTurn]:
        return [turn for turn in self.turns if turn.review.is_turning_point]

    @property
    def worst_turning_points(self) -> list[ReviewedTurn]:
        worst = nlargest(MAX_TURNING_POINTS, self.turning_points, lambda turn: turn.review.value_loss)
        return sorted(worst, key=lambda turn: turn.index)

    @property
    def decision(self) -> tuple[Message, ...]:
        """Message about the decisive turn, or about the standing at the end of the game.

        In a game without turning points, no turn is called decisive.
        """
        outcome, last_review = self.record.outcome, self.turns[-1].review
        light_value = last_review.value_for_light(last_review.value)
        remark = () if self.turning_points else (Message("analysis.no_turning_point"),)
        if outcome and outcome.reason is EndReason.RESIGNATION and outcome.winner is not None:
            return *remark, _describe_standing("resigned", light_value, outcome.winner.other_side)
        leader = LIGHT if light_value > 0 else DARK
        if outcome and outcome.reason is EndReason.AGREEMENT:
            return *remark, _describe_standing("agreed", light_value, leader)
        decision_point = analysis.find_decision(self.move_reviews)
        if decision_point is None:
            return *remark, Message("decision.never") if outcome else _describe_standing("open", light_value, leader)
        if remark:
            return remark
        turn_number, winner = decision_point
        decisive = self.turns[turn_number - 1]
        kind = "last" if turn_number == len(self.turns) else "by"
        decision = Message(
            f"decision.{kind if outcome else 'since'}",
            number=decisive.pair_number,
            side=str(decisive.review.side),
            action=str(decisive.review.taken),
            winner=str(winner),
            loser=str(winner.other_side),
            count=actions_to_end(light_value),
        )
        return (decision,)

    @property
    def summaries(self) -> list[tuple[Message, ...]]:
        return [_describe_summary(analysis.summarize_side(self.move_reviews, side), side) for side in Side]

    def annotated_record(self) -> Record:
        """Return the record with English comments: the value of each action, and remarks on mistakes.

        Comments from earlier analyses are replaced; others are kept.
        """
        text, comments = get_catalogue().text, dict(self.record.comments)
        explained = {turn.index for turn in self.worst_turning_points}
        for turn in self.turns:
            old_comment = ANALYSIS_COMMENT.sub("", comments.get(turn.index + 1, ""))
            remarks = [text(turn.value)]
            if turn.review.mistake_grade and (remark := turn.remark):
                remarks.append(text(remark))
            if turn.index in explained:
                remarks.append(text(turn.turning_point))
            comments[turn.index + 1] = f"{old_comment} [{'; '.join(remarks)}]".strip()
        return replace(self.record, comments=comments)


def pair_number(record: Record, turn_index: int) -> int:
    """Return the number of the pair that contains the action after `turn_index` turns."""
    return (turn_index + record.start_position.to_move) // 2 + 1


def _describe_value(light_value: int) -> Message:
    if abs(light_value) < MIN_WIN_VALUE:
        return describe_pieces(light_value)
    winner, actions_left = str(LIGHT if light_value > 0 else DARK), actions_to_end(light_value)
    return Message(f"worth.{'wins_in' if actions_left else 'wins'}", side=winner, actions=actions_left)


def describe_pieces(light_value: int) -> Message:
    """Describe light's lead in pieces, such as `+1.3`."""
    pieces = _round_pieces(light_value)
    return Message(f"worth.{'pieces' if pieces else 'level'}", pieces=pieces)


def _round_pieces(value: int) -> float:
    tenths = (abs(value) + 5) // 10
    return (tenths if value > 0 else -tenths) / 10


def _describe_better(review: MoveReview) -> Message:
    value, side, action = review.best_value, str(review.side), str(review.best)
    if value >= MIN_WIN_VALUE:
        actions_left = actions_to_end(value)
        if not actions_left:
            return Message("better.wins_at_once", side=side, action=action)
        return Message("better.wins", side=side, action=action, count=actions_left)
    return Message(f"better.{_name_standing(value)}", side=side, action=action, pieces=abs(_round_pieces(value)))


def _name_standing(value: int) -> str:
    return "level" if abs(value) < LEVEL_MARGIN else "ahead" if value > 0 else "behind"


def _describe_standing(ending: str, light_value: int, side: Side) -> Message:
    """Describe a side's standing with the message `decision.ENDING.STANDING`."""
    value = light_value if side is LIGHT else -light_value
    sides = {"side": str(side), "other": str(side.other_side)}
    if abs(value) >= MIN_WIN_VALUE:
        kind = "won" if value > 0 else "lost"
        return Message(f"decision.{ending}.{kind}", **sides, count=actions_to_end(value))
    return Message(f"decision.{ending}.{_name_standing(value)}", **sides, pieces=abs(_round_pieces(value)))


def _describe_summary(summary: analysis.SideSummary, side: Side) -> tuple[Message, ...]:
    if not summary.actions:
        return (Message("summary.no_action", side=str(side)),)
    loss = summary.mean_loss / 100
    actions = Message("summary.actions", side=str(side), count=summary.actions, best=summary.best_count, loss=loss)
    counts = {f"{grade.name.lower()}s": count for grade, count in summary.mistake_counts.items()}
    counts["missed_wins"] = summary.missed_wins
    mistakes = [Message(f"summary.{kind}", count=count) for kind, count in counts.items() if count]
    return actions, *(mistakes or [Message("summary.no_mistake")])


def _value_to_json(light_value: int) -> dict[str, object]:
    if abs(light_value) < MIN_WIN_VALUE:
        return {"value": light_value / 100, "wins": None}
    winner = LIGHT if light_value > 0 else DARK
    return {"value": None, "wins": {"side": str(winner), "actions": actions_to_end(light_value)}}
