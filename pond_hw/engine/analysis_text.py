"""What was found out about the actions of a game, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pond_hw.engine import HUMAN
from pond_hw.engine.analysis import Fault, Judged, decided, left, summary
from pond_hw.engine.packed import DEEPEST, SURE
from pond_hw.engine.searcher import Limits
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import printable
from pond_hw.rules import DARK, LIGHT, Action, Position, Reason, Record, Side, Turn, play
from pond_hw.session import tell_outcome, tell_sets

WIDE = 80
"""Columns of the text."""

MOST = 5
"""Turning points that are told, at the most: the worst mistakes."""

LEVEL = 25
"""Less than so many hundredths of a piece are nothing that a sentence speaks of."""

AHEAD_SEEN = 4
"""Actions that are gone through for the sets that an action costs or brings."""

FAULTS = {Fault.SLIP: "slip", Fault.MISTAKE: "mistake", Fault.BLUNDER: "blunder"}

PIECES_GIVEN = ("half a piece", "a piece", "two pieces", "three pieces", "four pieces", "five pieces")


def text(record: Record, judged: Sequence[Judged], limits: Limits) -> Iterator[str]:
    """The analysis of a whole game, in lines.

    Args:
        record: of the game, with at least one turn.
        judged: all its actions.
        limits: how they were looked at.
    """
    light, dark = (printable(record.tags.get(name, "")) or HUMAN for name in ("Light", "Dark"))
    yield from wrap(f"The {record.pond} pond: {light} (light) against {dark} (dark). {_ended(record)}", WIDE)
    yield from wrap(
        "A value tells how many pieces light is ahead after the action, with a minus how many dark is. A win in 5 "
        f"comes after five more actions of both sides. {bounds(limits)}",
        WIDE,
    )
    yield ""
    yield from table(record, judged)
    yield ""
    points = turning_points(judged)
    turning = sum(each.turning for each in judged)
    if turning > len(points):
        yield f"The {len(points)} worst of {turning} turning points:"
    for n in points:
        yield from wrap(f"Turning point: {sentence(record, n, judged[n])}", WIDE, subsequent_indent="  ")
    if not points:
        yield "There is no turning point."
    yield from wrap(tell_decided(record, judged), WIDE, subsequent_indent="  ")
    yield ""
    for side in Side:
        yield from wrap(tell_summary(judged, side), WIDE, subsequent_indent="  ")


def table(record: Record, judged: Sequence[Judged]) -> Iterator[str]:
    """A line for each action."""
    for n, each in enumerate(judged):
        yield f"{number(record, n):>5} {each.side!s:<5} {each.taken!s:<4}  {value(each):<16}  {remark(each)}".rstrip()


def number(record: Record, n: int) -> str:
    """The number of the pair to which the action after `n` turns belongs, where it is written: `12.`, or nothing."""
    begins = record.start_position.to_move
    if begins == DARK and not n:
        return "1..."
    return "" if (n + begins) % 2 else f"{pair(record, n)}."


def pair(record: Record, n: int) -> int:
    """The number of the pair of actions to which the one after `n` turns belongs, as the record counts."""
    return (n + record.start_position.to_move) // 2 + 1


def value(judged: Judged, *, best: bool = False) -> str:
    """What the action taken, or the best, is worth to light: `+1.3`, or `light wins in 5`."""
    worth = judged.to_light(judged.best_value if best else judged.value)
    if abs(worth) < SURE:
        return pieces(worth)
    more = left(worth)
    return f"{LIGHT if worth > 0 else DARK} wins{f' in {more}' if more else ''}"


def pieces(worth: int) -> str:
    """Hundredths of a piece, as a number with one digit."""
    tenths = (abs(worth) + 5) // 10
    sign = "" if not tenths else "+" if worth > 0 else "-"
    return f"{sign}{tenths // 10}.{tenths % 10}"


def remark(judged: Judged) -> str:
    """What is wrong with an action, or slow, and what is better, in a few words; nothing, if nothing is."""
    if not judged.fault:
        sooner = judged.value >= SURE and left(judged.best_value) < left(judged.value) - 1
        return f"sooner: {judged.best} {value(judged, best=True)}" if sooner else ""
    wrong = "win missed" if judged.missed else FAULTS[judged.fault]
    return f"{wrong}: {judged.best} {value(judged, best=True)}"


def turning_points(judged: Sequence[Judged]) -> list[int]:
    """The turns, from 0 on, that are told as turning points, in order."""
    points = [n for n, each in enumerate(judged) if each.turning]
    return sorted(sorted(points, key=lambda n: (-judged[n].loss, n))[:MOST])


def sentence(record: Record, n: int, judged: Judged) -> str:
    """What was done wrong in a turn, what would have been better, and which sets it is about.

    Args:
        record: of the game.
        n: how many turns came before.
        judged: what was done; it has a fault.
    """
    turn = record.turns[n]
    side = judged.side
    cost, why = _why(turn.before, judged)
    if judged.missed and judged.thrown:
        does = "turns a won game into a lost one"
    elif judged.missed:
        does = "lets a sure win go"
    elif judged.thrown:
        does = f"lets {side.other} win"
    else:
        does = f"{cost} {_given(judged.loss)}"
    said = f"{pair(record, n)}. {_name(side)}'s {judged.taken} {does}; {_instead(judged)}."
    return f"{said} {why}" if why else said


def _given(loss: int) -> str:
    count = (loss + 50) // 100
    return PIECES_GIVEN[0 if loss < 75 else min(max(1, count), len(PIECES_GIVEN) - 1)]


def _instead(judged: Judged) -> str:
    best, worth, side = judged.best, judged.best_value, judged.side
    if worth >= SURE:
        return f"after {best} {side} wins in {left(worth)}" if left(worth) else f"{best} wins at once"
    if worth >= LEVEL:
        return f"{best} would have kept {side} {pieces(worth)[1:]} ahead"
    if worth <= -LEVEL:
        return f"with {best} {side} would have been no more than {pieces(worth)[1:]} behind"
    return f"{best} would have kept the game level"


def _why(before: Position, judged: Judged) -> tuple[str, str]:
    """The verb that fits what an action costs, and a sentence about the set that tells most of it, if one does."""
    side = judged.side
    went, better = _turns(before, judged.line), _turns(before, judged.better)
    if sum(gain(turn, side) for turn in went) >= sum(gain(turn, side) for turn in better):
        return "costs", ""
    worst = min(went, key=lambda turn: gain(turn, side))
    if gain(worst, side) < 0:
        who = "It" if worst.before == before else f"{_name(worst.side)}'s {worst.action} then"
        return "gives away", f"{who} scores {tell_sets(worst)}."
    missed = max(better, key=lambda turn: gain(turn, side))
    how = "It would have scored" if missed.before == before else f"Then {missed.action} would have scored"
    return "misses", f"{how} {tell_sets(missed)}."


def _turns(before: Position, line: Sequence[Action]) -> list[Turn]:
    turns = list[Turn]()
    for action in line[:AHEAD_SEEN]:
        turns.append(play(turns[-1].after if turns else before, action))
    return turns


def gain(turn: Turn, side: Side) -> int:
    """Pieces of a side minus the other's that a turn scores."""
    return len(turn.scored[side]) - len(turn.scored[side.other])


def tell_decided(record: Record, judged: Sequence[Judged]) -> str:
    """From when on the game was decided; or how it stood when it ended otherwise."""
    ended, last = record.outcome, judged[-1]
    worth = last.to_light(last.value)
    if ended and ended.reason is Reason.RESIGNATION and ended.winner is not None:
        return f"{_name(ended.winner.other)} resigned {_standing(worth, ended.winner.other)}."
    if ended and ended.reason is Reason.AGREEMENT:
        return f"The players agreed to a draw when {_stood(worth)}."
    sure = decided(judged)
    if sure is None:
        return "No win was sure at the end." if ended else f"Nobody's win is sure yet: {_stands(worth)}."
    n, winner = sure
    by = judged[n - 1]
    when = f"{pair(record, n - 1)}. {_name(by.side)}'s {by.taken}"
    if not ended:
        return f"Decided since {when}: {value(last)}, whatever {winner.other} does."
    if n == len(judged):
        return f"Decided only by the last action: {when}."
    return f"Decided by {when}: from there on {winner} won, whatever {winner.other} did."


def _standing(worth: int, side: Side) -> str:
    """How the game stood for a side."""
    own = worth if side is LIGHT else -worth
    if own >= SURE:
        return f"in a won game: it would have won in {left(own)}"
    if own <= -SURE:
        return f"in a lost game: {side.other} would have won in {left(own)}"
    if abs(own) < LEVEL:
        return "in a level game"
    return f"when {pieces(own)[1:]} {'ahead' if own > 0 else 'behind'}"


def _stood(worth: int) -> str:
    return _who_is_ahead(worth, "was", "would have won", "the game was level")


def _stands(worth: int) -> str:
    return _who_is_ahead(worth, "is", "wins", "the game is level")


def _who_is_ahead(worth: int, is_: str, wins: str, level: str) -> str:
    side = LIGHT if worth > 0 else DARK
    if abs(worth) >= SURE:
        return f"{side} {wins} in {left(worth)}"
    return level if abs(worth) < LEVEL else f"{side} {is_} {pieces(worth)[1:]} ahead"


def tell_summary(judged: Sequence[Judged], side: Side) -> str:
    """What a side's actions come to."""
    own = summary(judged, side)
    if not own.actions:
        return f"{_name(side)} took no action."
    mean = f"{own.loss / 100:.2f} pieces given away with each on average"
    counts = [count_noun(own.faults[fault], FAULTS[fault]) for fault in FAULTS if own.faults[fault]]
    if own.missed:
        counts.append(f"a sure win let go {'once' if own.missed == 1 else f'{own.missed} times'}")
    faults = ", ".join(counts) or "no fault"
    return f"{_name(side)}: {count_noun(own.actions, 'action')}, {own.best} as good as the best; {mean}; {faults}."


def bounds(limits: Limits) -> str:
    """How far was looked ahead, as a sentence."""
    most = [f"{limits.nodes} positions"] if limits.nodes else []
    if limits.seconds is not None:
        most.append(f"{limits.seconds:g} s")
    if limits.depth < DEEPEST:
        most.append(f"{count_noun(limits.depth, 'action')} ahead")
    return f"Looked at for each: {', '.join(most)} at the most." if most else ""


def _ended(record: Record) -> str:
    ended, position = record.outcome, record.position
    return tell_outcome(ended, position) if ended else f"The game goes on; {position.to_move} is to move."


def _name(side: Side) -> str:
    return str(side).capitalize()
