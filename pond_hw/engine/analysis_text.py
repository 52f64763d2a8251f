"""What was found out about the actions of a game: as messages, as comments in its record, and for programs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import nlargest
from textwrap import wrap

from pond_hw.engine import analysis
from pond_hw.engine.analysis import ANALYSIS_COMMENT, MoveReview, actions_to_end
from pond_hw.engine.packed import MAX_DEPTH, SURE_VALUE
from pond_hw.engine.player_name import name_player
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.columns import align_columns
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import DARK, LIGHT, EndReason, Position, Record, Side, Turn
from pond_hw.session import describe_outcome, describe_sets

TEXT_WIDTH = 80
"""Columns of the text."""

MAX_TURNING_POINTS = 5
"""Turning points that are explained, at the most: the worst mistakes."""

LEVEL_MARGIN = 25
"""A game is called level within so many hundredths of a piece."""

EXPLAINED_ACTIONS = 4
"""How many actions are searched for the sets that an action costs or brings."""

FORMAT_VERSION = 1
"""The form of the JSON object; it counts up when a key goes or changes its meaning."""


def format_analysis(
    record: Record, move_reviews: Sequence[MoveReview], search_limits: SearchLimits, language: str = "en"
) -> Iterator[str]:
    """The analysis of a whole game, in lines.

    Args:
        record: of the game, with at least one turn.
        move_reviews: all its actions.
        search_limits: how they were looked at.
        language: the language of the lines.
    """
    text, wrapped = get_catalogue(language).text, partial(wrap, width=TEXT_WIDTH)
    light, dark = (name_player(replace_unprintable(record.tags.get(name, "")), None) for name in ("Light", "Dark"))
    outcome, position = record.outcome, record.position
    heading = Message("analysis.heading", variant=record.variant.name, light=light, dark=dark)
    unfinished = Message("game.unfinished", side=str(position.to_move))
    yield from wrapped(text([heading, describe_outcome(outcome, position) if outcome else unfinished]))
    yield from wrapped(text([Message("analysis.legend"), *describe_limits(search_limits)]))
    yield ""
    yield from format_moves(record, move_reviews, language)
    yield ""
    wrap_indented = partial(wrapped, subsequent_indent="  ")
    turning_points = worst_turning_points(move_reviews)
    turning_count = sum(move_review.is_turning_point for move_review in move_reviews)
    if turning_count > len(turning_points):
        yield text(Message("analysis.worst_turning_points", shown=len(turning_points), total=turning_count))
    for turn_index in turning_points:
        yield from wrap_indented(text(describe_turning_point(record, turn_index, move_reviews[turn_index])))
    yield from wrap_indented(text(describe_decision(record, move_reviews)))
    yield ""
    for side in Side:
        yield from wrap_indented(text(describe_summary(move_reviews, side)))


def format_moves(record: Record, move_reviews: Sequence[MoveReview], language: str) -> list[str]:
    """A line for each action."""
    rows = [
        (
            format_pair_number(record, turn_index),
            Message(f"side.{move_review.side}"),
            move_review.taken,
            describe_value(move_review),
            describe_remark(move_review) or "",
        )
        for turn_index, move_review in enumerate(move_reviews)
    ]
    return align_columns(rows, "rllll", language=language)


def format_pair_number(record: Record, turn_index: int) -> str:
    """The number of the pair to which the action after `turn_index` turns belongs, where it is written: `12.`, or nothing."""
    starting_side = record.start_position.to_move
    if starting_side == DARK and not turn_index:
        return "1..."
    return "" if (turn_index + starting_side) % 2 else f"{pair_number(record, turn_index)}."


def pair_number(record: Record, turn_index: int) -> int:
    """The number of the pair of actions to which the one after `turn_index` turns belongs, as the record counts."""
    return (turn_index + record.start_position.to_move) // 2 + 1


def describe_value(move_review: MoveReview, *, best: bool = False) -> Message:
    """What the action taken, or the best, is worth to light: `+1.3`, or `Light wins in 5`."""
    light_value = move_review.value_for_light(move_review.best_value if best else move_review.value)
    if abs(light_value) < SURE_VALUE:
        return describe_pieces(light_value)
    winner, actions_left = str(LIGHT if light_value > 0 else DARK), actions_to_end(light_value)
    return Message(f"worth.{'wins_in' if actions_left else 'wins'}", side=winner, actions=actions_left)


def describe_pieces(light_value: int) -> Message:
    """Hundredths of a piece that light is ahead: `+1.3`."""
    pieces = round_pieces(light_value)
    return Message(f"worth.{'pieces' if pieces else 'level'}", pieces=pieces)


def round_pieces(value: int) -> float:
    """Hundredths of a piece as pieces, to one digit."""
    tenths = (abs(value) + 5) // 10
    return (tenths if value > 0 else -tenths) / 10


def describe_remark(move_review: MoveReview) -> Message | None:
    """What is wrong with an action, or slow, and what is better, in a few words; None if nothing is."""
    kind = "sooner"
    if move_review.mistake_grade:
        kind = "win_missed" if move_review.missed_win else move_review.mistake_grade.name.lower()
    elif move_review.value < SURE_VALUE or move_review.best_value <= move_review.value + 1:
        return None
    return Message(f"remark.{kind}", action=str(move_review.best), worth=describe_value(move_review, best=True))


def worst_turning_points(move_reviews: Sequence[MoveReview]) -> list[int]:
    """The turns, from 0 on, that are explained as turning points, in order."""
    turning_points = [turn_index for turn_index, move_review in enumerate(move_reviews) if move_review.is_turning_point]
    return sorted(nlargest(MAX_TURNING_POINTS, turning_points, lambda turn_index: move_reviews[turn_index].value_loss))


def describe_turning_point(record: Record, turn_index: int, move_review: MoveReview) -> tuple[Message, ...]:
    """Where a game took another way: the number of the turn, and what was wrong there."""
    place = Message("analysis.turning_point", number=pair_number(record, turn_index))
    return place, *explain_mistake(record, turn_index, move_review)


def explain_mistake(record: Record, turn_index: int, move_review: MoveReview) -> tuple[Message, ...]:
    """What was done wrong in a turn, then what would have been better, then the sets that it is about, if any.

    Args:
        record: of the game.
        turn_index: how many turns came before.
        move_review: what was done; it is a turning point.
    """
    loss_kind, sets = _explain_loss(record.turns[turn_index].before, move_review)
    if move_review.missed_win and move_review.threw_away_game:
        loss_kind = "lost_won_game"
    elif move_review.missed_win:
        loss_kind = "missed_win"
    elif move_review.threw_away_game:
        loss_kind = "let_win"
    mistake = Message(
        f"mistake.{loss_kind}",
        side=str(move_review.side),
        other=str(move_review.side.other_side),
        action=str(move_review.taken),
        count=(move_review.value_loss + 50) // 100,
    )
    return mistake, _describe_better(move_review), *sets


def _describe_better(move_review: MoveReview) -> Message:
    value, side, action = move_review.best_value, str(move_review.side), str(move_review.best)
    if value >= SURE_VALUE:
        actions_left = actions_to_end(value)
        if not actions_left:
            return Message("better.wins_at_once", side=side, action=action)
        return Message("better.wins", side=side, action=action, count=actions_left)
    kind = _name_standing(value)
    return Message(f"better.{kind}", side=side, action=action, pieces=abs(round_pieces(value)))


def _name_standing(value: int) -> str:
    """How a value that is not sure is called, by the side that it is seen by."""
    return "level" if abs(value) < LEVEL_MARGIN else "ahead" if value > 0 else "behind"


def _explain_loss(before: Position, move_review: MoveReview) -> tuple[str, tuple[Message, ...]]:
    """How an action loses what it loses, and the set that explains most of it, if one does."""
    side = move_review.side
    played_turns, better_turns = (
        analysis.play_actions(before, line[:EXPLAINED_ACTIONS]) for line in (move_review.line, move_review.better)
    )
    if sum(turn_gain(turn, side) for turn in played_turns) >= sum(turn_gain(turn, side) for turn in better_turns):
        return "cost", ()
    worst_turn = min(played_turns, key=lambda turn: turn_gain(turn, side))
    if turn_gain(worst_turn, side) < 0:
        return "gave_away", _describe_scoring("turn", before, worst_turn)
    missed_turn = max(better_turns, key=lambda turn: turn_gain(turn, side))
    return "missed", _describe_scoring("preview", before, missed_turn)


def _describe_scoring(subject: str, before: Position, turn: Turn) -> tuple[Message, ...]:
    """Which turn brings sets, at once or later, and the sets."""
    when = f"at_once.{subject}" if turn.before == before else "later"
    place = Message(f"mistake.{when}", side=str(turn.side), action=str(turn.action))
    return place, *describe_sets(subject, turn)


def turn_gain(turn: Turn, side: Side) -> int:
    """Pieces of a side minus the other's that a turn scores."""
    return len(turn.scored_cells[side]) - len(turn.scored_cells[side.other_side])


def describe_decision(record: Record, move_reviews: Sequence[MoveReview]) -> tuple[Message, ...]:
    """From when on the game was decided, or how it stood when it ended otherwise.

    Without a turning point no action is blamed, so none is said to have decided the game.
    """
    outcome, last_review = record.outcome, move_reviews[-1]
    light_value = last_review.value_for_light(last_review.value)
    has_turning_point = any(move_review.is_turning_point for move_review in move_reviews)
    remark = () if has_turning_point else (Message("analysis.no_turning_point"),)
    if outcome and outcome.reason is EndReason.RESIGNATION and outcome.winner is not None:
        return *remark, _describe_standing("resigned", light_value, outcome.winner.other_side)
    leader = LIGHT if light_value > 0 else DARK
    if outcome and outcome.reason is EndReason.AGREEMENT:
        return *remark, _describe_standing("agreed", light_value, leader)
    decision_point = analysis.find_decision(move_reviews)
    if decision_point is None:
        return *remark, Message("decision.never") if outcome else _describe_standing("open", light_value, leader)
    if not has_turning_point:
        return remark
    turn_index, winner = decision_point
    decisive = move_reviews[turn_index - 1]
    kind = "last" if turn_index == len(move_reviews) else "by"
    decision = Message(
        f"decision.{kind if outcome else 'since'}",
        number=pair_number(record, turn_index - 1),
        side=str(decisive.side),
        action=str(decisive.taken),
        winner=str(winner),
        loser=str(winner.other_side),
        count=actions_to_end(light_value),
    )
    return (decision,)


def _describe_standing(ending: str, light_value: int, side: Side) -> Message:
    """How the game stood for a side: the message `decision.ENDING.STANDING`."""
    value = light_value if side is LIGHT else -light_value
    sides = {"side": str(side), "other": str(side.other_side)}
    if abs(value) >= SURE_VALUE:
        kind = "won" if value > 0 else "lost"
        return Message(f"decision.{ending}.{kind}", **sides, count=actions_to_end(value))
    return Message(f"decision.{ending}.{_name_standing(value)}", **sides, pieces=abs(round_pieces(value)))


def describe_summary(move_reviews: Sequence[MoveReview], side: Side) -> tuple[Message, ...]:
    """Say how well a side played; of mistakes only those that there were."""
    summary = analysis.summarize_side(move_reviews, side)
    if not summary.actions:
        return (Message("summary.no_action", side=str(side)),)
    actions = Message(
        "summary.actions",
        side=str(side),
        count=summary.actions,
        best=summary.best_count,
        loss=summary.mean_loss / 100,
    )
    counts = {f"{grade.name.lower()}s": count for grade, count in summary.mistake_counts.items()}
    counts["missed_wins"] = summary.missed_wins
    mistakes = [Message(f"summary.{kind}", count=count) for kind, count in counts.items() if count]
    return actions, *(mistakes or [Message("summary.no_mistake")])


def describe_limits(limits: SearchLimits) -> tuple[Message, ...]:
    """How far was looked ahead."""
    messages = [Message("analysis.limit.nodes", count=limits.nodes)] if limits.nodes else []
    if limits.seconds is not None:
        messages.append(Message("analysis.limit.seconds", seconds=limits.seconds))
    if limits.depth < MAX_DEPTH:
        messages.append(Message("analysis.limit.depth", count=limits.depth))
    return tuple(messages)


def analysis_to_json(record: Record, move_reviews: Sequence[MoveReview], limits: SearchLimits) -> dict[str, object]:
    """The analysis as a JSON object. Values are seen by light, in pieces; a sure win has the actions until then."""
    decision_point, turning_points = analysis.find_decision(move_reviews), worst_turning_points(move_reviews)
    depth = limits.depth if limits.depth < MAX_DEPTH else None
    return {
        "form": FORMAT_VERSION,
        "variant": record.variant.name,
        "position": record.start_position.notation_line,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "result": record.result_text,
        "limits": {"depth": depth, "nodes": limits.nodes or None, "seconds": limits.seconds},
        "turns": [turn_review_to_json(turn_index, move_review) for turn_index, move_review in enumerate(move_reviews)],
        "turning_points": [
            _turning_point_to_json(record, turn_index, move_reviews[turn_index]) for turn_index in turning_points
        ],
        "decided": None if decision_point is None else {"turn": decision_point[0], "winner": str(decision_point[1])},
        "summary": {str(side): _summary_to_json(move_reviews, side) for side in Side},
    }


def _turning_point_to_json(record: Record, turn_index: int, move_review: MoveReview) -> dict[str, object]:
    messages = explain_mistake(record, turn_index, move_review)
    said = [message.to_json() for message in messages]
    return {"turn": turn_index + 1, "told": get_catalogue().text(messages), "said": said}


def turn_review_to_json(turn_index: int, move_review: MoveReview) -> dict[str, object]:
    """What was found out about a turn, as JSON. Values are seen by light, in pieces."""
    return {
        "turn": turn_index + 1,
        "side": str(move_review.side),
        "action": str(move_review.taken),
        **_value_to_json(move_review.value_for_light(move_review.value)),
        "best": {
            "action": str(move_review.best),
            **_value_to_json(move_review.value_for_light(move_review.best_value)),
        },
        "loss": move_review.value_loss / 100,
        "fault": move_review.mistake_grade.name.lower() if move_review.mistake_grade else None,
        "win_missed": move_review.missed_win,
        "turning_point": move_review.is_turning_point,
        "depth": move_review.depth,
        "line": [str(action) for action in move_review.line],
        "better": [str(action) for action in move_review.better],
    }


def _value_to_json(light_value: int) -> dict[str, object]:
    if abs(light_value) < SURE_VALUE:
        return {"value": light_value / 100, "wins": None}
    winner = LIGHT if light_value > 0 else DARK
    return {"value": None, "wins": {"side": str(winner), "actions": actions_to_end(light_value)}}


def _summary_to_json(move_reviews: Sequence[MoveReview], side: Side) -> Mapping[str, object]:
    side_summary = analysis.summarize_side(move_reviews, side)
    return {
        "actions": side_summary.actions,
        "mean_loss": round(side_summary.mean_loss / 100, 4),
        "as_the_best": side_summary.best_count,
        **{f"{grade.name.lower()}s": count for grade, count in side_summary.mistake_counts.items()},
        "wins_missed": side_summary.missed_wins,
    }


def annotate_record(record: Record, move_reviews: Sequence[MoveReview]) -> Record:
    """The record with the value of each action as a comment behind it, and with what was wrong there, in English.

    Earlier comments stay, except those that an analysis wrote.
    """
    text, comments = get_catalogue().text, dict(record.comments)
    turning_points = worst_turning_points(move_reviews)
    for turn_index, move_review in enumerate(move_reviews):
        old_comment = ANALYSIS_COMMENT.sub("", comments.get(turn_index + 1, ""))
        remarks = [text(describe_value(move_review))]
        if move_review.mistake_grade and (remark := describe_remark(move_review)):
            remarks.append(text(remark))
        if turn_index in turning_points:
            remarks.append(text(describe_turning_point(record, turn_index, move_review)))
        comments[turn_index + 1] = f"{old_comment} [{'; '.join(remarks)}]".strip()
    return replace(record, comments=comments)
