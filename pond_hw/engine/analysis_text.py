"""What was found out about the actions of a game, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pond_hw.engine import HUMAN
from pond_hw.engine.analysis import Mistake, MoveReview, actions_to_end, find_decision, summarize_side
from pond_hw.engine.packed import MAX_DEPTH, SURE_VALUE
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import DARK, LIGHT, Action, EndReason, Position, Record, Side, Turn, play
from pond_hw.session import format_outcome, format_sets

TEXT_WIDTH = 80
"""Columns of the text."""

MAX_TURNING_POINTS = 5
"""Turning points that are told, at the most: the worst mistakes."""

LEVEL_MARGIN = 25
"""Less than so many hundredths of a piece are nothing that a sentence speaks of."""

EXPLAINED_ACTIONS = 4
"""Actions that are gone through for the sets that an action costs or brings."""

MISTAKE_NAMES = {Mistake.SLIP: "slip", Mistake.MISTAKE: "mistake", Mistake.BLUNDER: "blunder"}

LOSS_WORDS = ("half a piece", "a piece", "two pieces", "three pieces", "four pieces", "five pieces")


def format_analysis(record: Record, judged: Sequence[MoveReview], limits: SearchLimits) -> Iterator[str]:
    """The analysis of a whole game, in lines.

    Args:
        record: of the game, with at least one turn.
        judged: all its actions.
        limits: how they were looked at.
    """
    light, dark = (replace_unprintable(record.tags.get(name, "")) or HUMAN for name in ("Light", "Dark"))
    yield from wrap(
        f"The {record.variant} pond: {light} (light) against {dark} (dark). {_format_outcome(record)}", TEXT_WIDTH
    )
    yield from wrap(
        "A value tells how many pieces light is ahead after the action, with a minus how many dark is. A win in 5 "
        f"comes after five more actions of both sides. {format_limits(limits)}",
        TEXT_WIDTH,
    )
    yield ""
    yield from format_moves(record, judged)
    yield ""
    points = worst_turning_points(judged)
    turning = sum(each.is_turning_point for each in judged)
    if turning > len(points):
        yield f"The {len(points)} worst of {turning} turning points:"
    for n in points:
        yield from wrap(f"Turning point: {explain_mistake(record, n, judged[n])}", TEXT_WIDTH, subsequent_indent="  ")
    if not points:
        yield "There is no turning point."
    yield from wrap(format_decision(record, judged), TEXT_WIDTH, subsequent_indent="  ")
    yield ""
    for side in Side:
        yield from wrap(format_summary(judged, side), TEXT_WIDTH, subsequent_indent="  ")


def format_moves(record: Record, judged: Sequence[MoveReview]) -> Iterator[str]:
    """A line for each action."""
    for n, each in enumerate(judged):
        action = f"{format_pair_number(record, n):>5} {each.side!s:<5} {each.taken!s:<4}"
        yield f"{action}  {format_value(each):<16}  {format_remark(each)}".rstrip()


def format_pair_number(record: Record, n: int) -> str:
    """The number of the pair to which the action after `n` turns belongs, where it is written: `12.`, or nothing."""
    begins = record.start_position.to_move
    if begins == DARK and not n:
        return "1..."
    return "" if (n + begins) % 2 else f"{pair_number(record, n)}."


def pair_number(record: Record, n: int) -> int:
    """The number of the pair of actions to which the one after `n` turns belongs, as the record counts."""
    return (n + record.start_position.to_move) // 2 + 1


def format_value(judged: MoveReview, *, best: bool = False) -> str:
    """What the action taken, or the best, is worth to light: `+1.3`, or `light wins in 5`."""
    worth = judged.value_for_light(judged.best_value if best else judged.value)
    if abs(worth) < SURE_VALUE:
        return format_pieces(worth)
    more = actions_to_end(worth)
    return f"{LIGHT if worth > 0 else DARK} wins{f' in {more}' if more else ''}"


def format_pieces(worth: int) -> str:
    """Hundredths of a piece, as a number with one digit."""
    tenths = (abs(worth) + 5) // 10
    sign = "" if not tenths else "+" if worth > 0 else "-"
    return f"{sign}{tenths // 10}.{tenths % 10}"


def format_remark(judged: MoveReview) -> str:
    """What is wrong with an action, or slow, and what is better, in a few words; nothing, if nothing is."""
    if not judged.mistake_grade:
        sooner = judged.value >= SURE_VALUE and actions_to_end(judged.best_value) < actions_to_end(judged.value) - 1
        return f"sooner: {judged.best} {format_value(judged, best=True)}" if sooner else ""
    wrong = "win missed" if judged.missed_win else MISTAKE_NAMES[judged.mistake_grade]
    return f"{wrong}: {judged.best} {format_value(judged, best=True)}"


def worst_turning_points(judged: Sequence[MoveReview]) -> list[int]:
    """The turns, from 0 on, that are told as turning points, in order."""
    points = [n for n, each in enumerate(judged) if each.is_turning_point]
    return sorted(sorted(points, key=lambda n: (-judged[n].value_loss, n))[:MAX_TURNING_POINTS])


def explain_mistake(record: Record, n: int, judged: MoveReview) -> str:
    """What was done wrong in a turn, what would have been better, and which sets it is about.

    Args:
        record: of the game.
        n: how many turns came before.
        judged: what was done; it has a fault.
    """
    turn = record.turns[n]
    side = judged.side
    cost, why = _explain_loss(turn.before, judged)
    if judged.missed_win and judged.threw_away_game:
        does = "turns a won game into a lost one"
    elif judged.missed_win:
        does = "lets a sure win go"
    elif judged.threw_away_game:
        does = f"lets {side.other_side} win"
    else:
        does = f"{cost} {_format_loss(judged.value_loss)}"
    said = f"{pair_number(record, n)}. {_side_name(side)}'s {judged.taken} {does}; {_format_alternative(judged)}."
    return f"{said} {why}" if why else said


def _format_loss(loss: int) -> str:
    count = (loss + 50) // 100
    return LOSS_WORDS[0 if loss < 75 else min(max(1, count), len(LOSS_WORDS) - 1)]


def _format_alternative(judged: MoveReview) -> str:
    best, worth, side = judged.best, judged.best_value, judged.side
    if worth >= SURE_VALUE:
        return (
            f"after {best} {side} wins in {actions_to_end(worth)}" if actions_to_end(worth) else f"{best} wins at once"
        )
    if worth >= LEVEL_MARGIN:
        return f"{best} would have kept {side} {format_pieces(worth)[1:]} ahead"
    if worth <= -LEVEL_MARGIN:
        return f"with {best} {side} would have been no more than {format_pieces(worth)[1:]} behind"
    return f"{best} would have kept the game level"


def _explain_loss(before: Position, judged: MoveReview) -> tuple[str, str]:
    """The verb that fits what an action costs, and a sentence about the set that tells most of it, if one does."""
    side = judged.side
    went, better = _play_line(before, judged.line), _play_line(before, judged.better)
    if sum(turn_gain(turn, side) for turn in went) >= sum(turn_gain(turn, side) for turn in better):
        return "costs", ""
    worst = min(went, key=lambda turn: turn_gain(turn, side))
    if turn_gain(worst, side) < 0:
        who = "It" if worst.before == before else f"{_side_name(worst.side)}'s {worst.action} then"
        return "gives away", f"{who} scores {format_sets(worst)}."
    missed = max(better, key=lambda turn: turn_gain(turn, side))
    how = "It would have scored" if missed.before == before else f"Then {missed.action} would have scored"
    return "misses", f"{how} {format_sets(missed)}."


def _play_line(before: Position, line: Sequence[Action]) -> list[Turn]:
    turns = list[Turn]()
    for action in line[:EXPLAINED_ACTIONS]:
        turns.append(play(turns[-1].after if turns else before, action))
    return turns


def turn_gain(turn: Turn, side: Side) -> int:
    """Pieces of a side minus the other's that a turn scores."""
    return len(turn.scored_cells[side]) - len(turn.scored_cells[side.other_side])


def format_decision(record: Record, judged: Sequence[MoveReview]) -> str:
    """From when on the game was decided; or how it stood when it ended otherwise."""
    ended, last = record.outcome, judged[-1]
    worth = last.value_for_light(last.value)
    if ended and ended.reason is EndReason.RESIGNATION and ended.winner is not None:
        return f"{_side_name(ended.winner.other_side)} resigned {_format_standing(worth, ended.winner.other_side)}."
    if ended and ended.reason is EndReason.AGREEMENT:
        return f"The players agreed to a draw when {_format_past_lead(worth)}."
    sure = find_decision(judged)
    if sure is None:
        return "No win was sure at the end." if ended else f"Nobody's win is sure yet: {_format_current_lead(worth)}."
    n, winner = sure
    by = judged[n - 1]
    when = f"{pair_number(record, n - 1)}. {_side_name(by.side)}'s {by.taken}"
    if not ended:
        return f"Decided since {when}: {format_value(last)}, whatever {winner.other_side} does."
    if n == len(judged):
        return f"Decided only by the last action: {when}."
    return f"Decided by {when}: from there on {winner} won, whatever {winner.other_side} did."


def _format_standing(worth: int, side: Side) -> str:
    """How the game stood for a side."""
    own = worth if side is LIGHT else -worth
    if own >= SURE_VALUE:
        return f"in a won game: it would have won in {actions_to_end(own)}"
    if own <= -SURE_VALUE:
        return f"in a lost game: {side.other_side} would have won in {actions_to_end(own)}"
    if abs(own) < LEVEL_MARGIN:
        return "in a level game"
    return f"when {format_pieces(own)[1:]} {'ahead' if own > 0 else 'behind'}"


def _format_past_lead(worth: int) -> str:
    return _format_lead(worth, "was", "would have won", "the game was level")


def _format_current_lead(worth: int) -> str:
    return _format_lead(worth, "is", "wins", "the game is level")


def _format_lead(worth: int, is_: str, wins: str, level: str) -> str:
    side = LIGHT if worth > 0 else DARK
    if abs(worth) >= SURE_VALUE:
        return f"{side} {wins} in {actions_to_end(worth)}"
    return level if abs(worth) < LEVEL_MARGIN else f"{side} {is_} {format_pieces(worth)[1:]} ahead"


def format_summary(judged: Sequence[MoveReview], side: Side) -> str:
    """What a side's actions come to."""
    own = summarize_side(judged, side)
    if not own.actions:
        return f"{_side_name(side)} took no action."
    mean = f"{own.mean_loss / 100:.2f} pieces given away with each on average"
    counts = [
        count_noun(own.mistake_counts[fault], MISTAKE_NAMES[fault])
        for fault in MISTAKE_NAMES
        if own.mistake_counts[fault]
    ]
    if own.missed_wins:
        counts.append(f"a sure win let go {'once' if own.missed_wins == 1 else f'{own.missed_wins} times'}")
    faults = ", ".join(counts) or "no fault"
    return f"{_side_name(side)}: {count_noun(own.actions, 'action')}, {own.best_count} as good as the best; {mean}; {faults}."


def format_limits(limits: SearchLimits) -> str:
    """How far was looked ahead, as a sentence."""
    most = [f"{limits.nodes} positions"] if limits.nodes else []
    if limits.seconds is not None:
        most.append(f"{limits.seconds:g} s")
    if limits.depth < MAX_DEPTH:
        most.append(f"{count_noun(limits.depth, 'action')} ahead")
    return f"Looked at for each: {', '.join(most)} at the most." if most else ""


def _format_outcome(record: Record) -> str:
    ended, position = record.outcome, record.position
    return format_outcome(ended, position) if ended else f"The game goes on; {position.to_move} is to move."


def _side_name(side: Side) -> str:
    return str(side).capitalize()
