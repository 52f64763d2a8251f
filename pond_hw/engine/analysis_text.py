"""What was found out about the actions of a game: in words, as comments in its record, and for programs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import nlargest
from textwrap import wrap

from pond_hw.engine import HUMAN, analysis
from pond_hw.engine.analysis import ANALYSIS_COMMENT, Mistake, MoveReview, actions_to_end
from pond_hw.engine.packed import MAX_DEPTH, SURE_VALUE
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import DARK, LIGHT, EndReason, Position, Record, Side, Turn
from pond_hw.session import describe_outcome, describe_sets

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

FORMAT_VERSION = 1
"""The form of the JSON object; it counts up when a key goes or changes its meaning."""


def format_analysis(record: Record, move_reviews: Sequence[MoveReview], search_limits: SearchLimits) -> Iterator[str]:
    """The analysis of a whole game, in lines.

    Args:
        record: of the game, with at least one turn.
        move_reviews: all its actions.
        search_limits: how they were looked at.
    """
    light_player, dark_player = (replace_unprintable(record.tags.get(name, "")) or HUMAN for name in ("Light", "Dark"))
    outcome, position = record.outcome, record.position
    outcome_text = (
        str(describe_outcome(outcome, position)) if outcome else f"The game goes on; {position.to_move} is to move."
    )
    yield from wrap(
        f"The {record.variant} pond: {light_player} (light) against {dark_player} (dark). {outcome_text}", TEXT_WIDTH
    )
    wrap_indented = partial(wrap, width=TEXT_WIDTH, subsequent_indent="  ")
    yield from wrap(
        "A value tells how many pieces light is ahead after the action, with a minus how many dark is. A win in 5 "
        f"comes after five more actions of both sides. {format_limits(search_limits)}",
        TEXT_WIDTH,
    )
    yield ""
    yield from format_moves(record, move_reviews)
    yield ""
    turning_points = worst_turning_points(move_reviews)
    turning_count = sum(move_review.is_turning_point for move_review in move_reviews)
    if turning_count > len(turning_points):
        yield f"The {len(turning_points)} worst of {turning_count} turning points:"
    for turn_index in turning_points:
        yield from wrap_indented(f"Turning point: {explain_mistake(record, turn_index, move_reviews[turn_index])}")
    if not turning_points:
        yield "There is no turning point."
    yield from wrap_indented(format_decision(record, move_reviews))
    yield ""
    for side in Side:
        yield from wrap_indented(format_summary(move_reviews, side))


def format_moves(record: Record, move_reviews: Sequence[MoveReview]) -> Iterator[str]:
    """A line for each action."""
    for turn_index, move_review in enumerate(move_reviews):
        action = f"{format_pair_number(record, turn_index):>5} {move_review.side!s:<5} {move_review.taken!s:<4}"
        yield f"{action}  {format_value(move_review):<16}  {format_remark(move_review)}".rstrip()


def format_pair_number(record: Record, turn_index: int) -> str:
    """The number of the pair to which the action after `turn_index` turns belongs, where it is written: `12.`, or nothing."""
    starting_side = record.start_position.to_move
    if starting_side == DARK and not turn_index:
        return "1..."
    return "" if (turn_index + starting_side) % 2 else f"{pair_number(record, turn_index)}."


def pair_number(record: Record, turn_index: int) -> int:
    """The number of the pair of actions to which the one after `turn_index` turns belongs, as the record counts."""
    return (turn_index + record.start_position.to_move) // 2 + 1


def format_value(move_review: MoveReview, *, best: bool = False) -> str:
    """What the action taken, or the best, is worth to light: `+1.3`, or `light wins in 5`."""
    light_value = move_review.value_for_light(move_review.best_value if best else move_review.value)
    if abs(light_value) < SURE_VALUE:
        return format_pieces(light_value)
    actions_left = actions_to_end(light_value)
    return f"{LIGHT if light_value > 0 else DARK} wins{f' in {actions_left}' if actions_left else ''}"


def format_pieces(light_value: int) -> str:
    """Hundredths of a piece, as a number with one digit."""
    tenths = (abs(light_value) + 5) // 10
    sign_text = "" if not tenths else "+" if light_value > 0 else "-"
    return f"{sign_text}{tenths // 10}.{tenths % 10}"


def format_remark(move_review: MoveReview) -> str:
    """What is wrong with an action, or slow, and what is better, in a few words; nothing, if nothing is."""
    remark_name = "sooner"
    if move_review.mistake_grade:
        remark_name = "win missed" if move_review.missed_win else MISTAKE_NAMES[move_review.mistake_grade]
    elif move_review.value < SURE_VALUE or move_review.best_value <= move_review.value + 1:
        return ""
    return f"{remark_name}: {move_review.best} {format_value(move_review, best=True)}"


def worst_turning_points(move_reviews: Sequence[MoveReview]) -> list[int]:
    """The turns, from 0 on, that are told as turning points, in order."""
    turning_points = [turn_index for turn_index, move_review in enumerate(move_reviews) if move_review.is_turning_point]
    return sorted(nlargest(MAX_TURNING_POINTS, turning_points, lambda turn_index: move_reviews[turn_index].value_loss))


def explain_mistake(record: Record, turn_index: int, move_review: MoveReview) -> str:
    """What was done wrong in a turn, what would have been better, and which sets it is about.

    Args:
        record: of the game.
        turn_index: how many turns came before.
        move_review: what was done; it has a fault.
    """
    turn = record.turns[turn_index]
    side = move_review.side
    loss_verb, set_sentence = _explain_loss(turn.before, move_review)
    if move_review.missed_win and move_review.threw_away_game:
        effect_text = "turns a won game into a lost one"
    elif move_review.missed_win:
        effect_text = "lets a sure win go"
    elif move_review.threw_away_game:
        effect_text = f"lets {side.other_side} win"
    else:
        loss = move_review.value_loss
        loss_text = LOSS_WORDS[0 if loss < 75 else min((loss + 50) // 100, len(LOSS_WORDS) - 1)]
        effect_text = f"{loss_verb} {loss_text}"
    action_text = f"{pair_number(record, turn_index)}. {_side_name(side)}'s {move_review.taken}"
    whole_sentence = f"{action_text} {effect_text}; {_format_alternative(move_review)}."
    return f"{whole_sentence} {set_sentence}".rstrip()


def _format_alternative(move_review: MoveReview) -> str:
    best, best_value, side = move_review.best, move_review.best_value, move_review.side
    if best_value >= SURE_VALUE:
        actions_left = actions_to_end(best_value)
        return f"after {best} {side} wins in {actions_left}" if actions_left else f"{best} wins at once"
    if best_value >= LEVEL_MARGIN:
        return f"{best} would have kept {side} {format_pieces(best_value)[1:]} ahead"
    if best_value <= -LEVEL_MARGIN:
        return f"with {best} {side} would have been no more than {format_pieces(best_value)[1:]} behind"
    return f"{best} would have kept the game level"


def _explain_loss(before: Position, move_review: MoveReview) -> tuple[str, str]:
    """The verb that fits what an action costs, and a sentence about the set that tells most of it, if one does."""
    side = move_review.side
    played_turns, better_turns = (
        analysis.play_actions(before, line[:EXPLAINED_ACTIONS]) for line in (move_review.line, move_review.better)
    )
    if sum(turn_gain(turn, side) for turn in played_turns) >= sum(turn_gain(turn, side) for turn in better_turns):
        return "costs", ""
    worst_turn = min(played_turns, key=lambda turn: turn_gain(turn, side))
    if turn_gain(worst_turn, side) < 0:
        return "gives away", " ".join(map(str, describe_sets("turn", worst_turn)))
    missed_turn = max(better_turns, key=lambda turn: turn_gain(turn, side))
    return "misses", " ".join(map(str, describe_sets("preview", missed_turn)))


def turn_gain(turn: Turn, side: Side) -> int:
    """Pieces of a side minus the other's that a turn scores."""
    return len(turn.scored_cells[side]) - len(turn.scored_cells[side.other_side])


def format_decision(record: Record, move_reviews: Sequence[MoveReview]) -> str:
    """From when on the game was decided; or how it stood when it ended otherwise."""
    final_outcome, last_review = record.outcome, move_reviews[-1]
    light_value = last_review.value_for_light(last_review.value)
    if final_outcome and final_outcome.reason is EndReason.RESIGNATION and final_outcome.winner is not None:
        loser = final_outcome.winner.other_side
        return f"{_side_name(loser)} resigned {_format_standing(light_value, loser)}."
    if final_outcome and final_outcome.reason is EndReason.AGREEMENT:
        past_lead = _format_lead(light_value, "was", "would have won", "the game was level")
        return f"The players agreed to a draw when {past_lead}."
    decision_point = analysis.find_decision(move_reviews)
    if decision_point is None:
        current_lead = _format_lead(light_value, "is", "wins", "the game is level")
        return "No win was sure at the end." if final_outcome else f"Nobody's win is sure yet: {current_lead}."
    turn_index, winner = decision_point
    decisive = move_reviews[turn_index - 1]
    decision_text = f"{pair_number(record, turn_index - 1)}. {_side_name(decisive.side)}'s {decisive.taken}"
    if not final_outcome:
        return f"Decided since {decision_text}: {format_value(last_review)}, whatever {winner.other_side} does."
    if turn_index == len(move_reviews):
        return f"Decided only by the last action: {decision_text}."
    return f"Decided by {decision_text}: from there on {winner} won, whatever {winner.other_side} did."


def _format_standing(light_value: int, side: Side) -> str:
    """How the game stood for a side."""
    side_value = light_value if side is LIGHT else -light_value
    if side_value >= SURE_VALUE:
        return f"in a won game: it would have won in {actions_to_end(side_value)}"
    if side_value <= -SURE_VALUE:
        return f"in a lost game: {side.other_side} would have won in {actions_to_end(side_value)}"
    if abs(side_value) < LEVEL_MARGIN:
        return "in a level game"
    return f"when {format_pieces(side_value)[1:]} {'ahead' if side_value > 0 else 'behind'}"


def _format_lead(light_value: int, is_word: str, wins_word: str, level_text: str) -> str:
    side = LIGHT if light_value > 0 else DARK
    if abs(light_value) >= SURE_VALUE:
        return f"{side} {wins_word} in {actions_to_end(light_value)}"
    return level_text if abs(light_value) < LEVEL_MARGIN else f"{side} {is_word} {format_pieces(light_value)[1:]} ahead"


def format_summary(move_reviews: Sequence[MoveReview], side: Side) -> str:
    """What a side's actions come to."""
    side_summary = analysis.summarize_side(move_reviews, side)
    if not side_summary.actions:
        return f"{_side_name(side)} took no action."
    mean_loss = f"{side_summary.mean_loss / 100:.2f} pieces given away with each on average"
    mistake_counts = side_summary.mistake_counts.items()
    count_texts = [count_noun(count, MISTAKE_NAMES[grade]) for grade, count in mistake_counts if count]
    if side_summary.missed_wins:
        times_text = "once" if side_summary.missed_wins == 1 else f"{side_summary.missed_wins} times"
        count_texts.append(f"a sure win let go {times_text}")
    mistake_list = ", ".join(count_texts) or "no fault"
    as_good = f"{count_noun(side_summary.actions, 'action')}, {side_summary.best_count} as good as the best"
    return f"{_side_name(side)}: {as_good}; {mean_loss}; {mistake_list}."


def format_limits(limits: SearchLimits) -> str:
    """How far was looked ahead, as a sentence."""
    limit_texts = [f"{limits.nodes} positions"] if limits.nodes else []
    if limits.seconds is not None:
        limit_texts.append(f"{limits.seconds:g} s")
    if limits.depth < MAX_DEPTH:
        limit_texts.append(f"{count_noun(limits.depth, 'action')} ahead")
    return f"Looked at for each: {', '.join(limit_texts)} at the most." if limit_texts else ""


def _side_name(side: Side) -> str:
    return str(side).capitalize()


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
        "turns": [_turn_to_json(turn_index, move_review) for turn_index, move_review in enumerate(move_reviews)],
        "turning_points": [
            {"turn": turn_index + 1, "told": explain_mistake(record, turn_index, move_reviews[turn_index])}
            for turn_index in turning_points
        ],
        "decided": None if decision_point is None else {"turn": decision_point[0], "winner": str(decision_point[1])},
        "summary": {str(side): _summary_to_json(move_reviews, side) for side in Side},
    }


def _turn_to_json(turn_index: int, move_review: MoveReview) -> dict[str, object]:
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
        "fault": MISTAKE_NAMES[move_review.mistake_grade] if move_review.mistake_grade else None,
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
        **{f"{MISTAKE_NAMES[grade]}s": count for grade, count in side_summary.mistake_counts.items()},
        "wins_missed": side_summary.missed_wins,
    }


def annotate_record(record: Record, move_reviews: Sequence[MoveReview]) -> Record:
    """The record with the value of each action as a comment behind it, and with what was wrong there.

    What was remarked before stays, but for what an analysis wrote.
    """
    comments = dict(record.comments)
    turning_points = worst_turning_points(move_reviews)
    for turn_index, move_review in enumerate(move_reviews):
        old_comment = ANALYSIS_COMMENT.sub("", comments.get(turn_index + 1, ""))
        remark_text = f" {format_remark(move_review)}" if move_review.mistake_grade else ""
        if turn_index in turning_points:
            remark_text += f". Turning point: {explain_mistake(record, turn_index, move_review)}"
        comments[turn_index + 1] = f"{old_comment} [{format_value(move_review)}{remark_text}]".strip()
    return replace(record, comments=comments)
