"""Sentences about turns, prompts and outcomes, for messages and screens."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.messages.plurals import join_words
from pond_hw.rules import EGG, FROG, TADPOLE, Action, Cell, EndReason, Outcome, Position, Side, Symbol, Turn

_WITH_ARTICLE = {EGG: "an egg", TADPOLE: "a tadpole", FROG: "a frog"}
_NUMBER_WORDS = {3: "three", 4: "four", 5: "five"}


def format_turn(turn: Turn) -> str:
    """A whole turn, as one would tell somebody who looked away."""
    verb = "moved" if turn.action.source else "placed"
    sentences = [f"{format_side(turn.side)} {verb} {format_action(turn.before, turn.action)}."]
    if turn.developed_pieces:
        sentences.append(_format_developed(turn, "became"))
    if turn.sets:
        sentences.append(f"Scored {format_sets(turn)}.")
    return " ".join(sentences)


def format_preview(turn: Turn) -> str:
    """A whole turn before it is taken: what is done, what would develop, what would score, and how that would end."""
    sentences = [f"{format_action(turn.before, turn.action)}."]
    if turn.developed_pieces:
        sentences.append(_format_developed(turn, "would become"))
    if turn.sets:
        sentences.append(f"Would score {format_sets(turn)}.")
    elif not turn.developed_pieces:
        sentences.append("Nothing would grow or score.")
    if turn.outcome:
        sentences.append(format_outcome(turn.outcome, turn.after))
    return " ".join(sentences)


def format_sets(turn: Turn) -> str:
    """What a turn scored, and for whom: `three eggs on a1-b1-c1: 2 for light and 1 for dark`."""
    set_texts = [
        f"{_NUMBER_WORDS[len(run)]} {turn.pieces_after_develop[run[0]].symbol}s on {'-'.join(run)}" for run in turn.sets
    ]
    gain_texts = [f"{len(cells)} for {side}" for side, cells in turn.scored_cells.items() if cells]
    return f"{join_words(set_texts)}: {join_words(gain_texts)}"


def format_outcome(outcome: Outcome, position: Position) -> str:
    """How a game ended."""
    light_score, dark_score = position.scored
    winner = outcome.winner
    if winner is None:
        agreed_text = " by agreement" if outcome.reason is EndReason.AGREEMENT else ""
        return f"The game is a draw{agreed_text}, {light_score} to {dark_score}."
    loser = winner.other_side
    if outcome.reason is EndReason.ELIMINATION:
        return f"{format_side(winner)} wins: {loser} has no action left."
    if outcome.reason is EndReason.RESIGNATION:
        return f"{format_side(winner)} wins: {loser} resigned."
    return f"{format_side(winner)} wins, {position.scored[winner]} to {position.scored[loser]}."


def format_turn_prompt(position: Position, *, has_pieces: bool = False) -> str:
    """What the side to move may do, on a board of buttons or of pieces."""
    side = position.to_move
    has_movers = any(piece.owner is side and piece.symbol is not EGG for piece in position.pieces.values())
    place_text = "put an egg on an empty cell" if has_pieces else "press an empty cell to place an egg"
    move_text = "move a tadpole or frog of yours" if has_pieces else "press a tadpole or frog of yours to move it"
    place_text, move_text = place_text if position.spawn[side] else "", move_text if has_movers else ""
    return f"{format_side(side)} to move: {' or '.join(filter(None, (place_text, move_text)))}."


def format_targets(position: Position, chosen: Cell, target_cells: Sequence[Cell]) -> str:
    """Where the chosen piece may go."""
    piece = position.piece_at(chosen)
    return f"The {piece.symbol if piece else 'piece'} on {chosen} may go to {join_words(target_cells, 'or')}."


def format_action(position: Position, action: Action) -> str:
    """An action in the middle of a sentence: `an egg on b2` or `the tadpole from b2 to b3`."""
    moved_piece = position.piece_at(action.source) if action.source else None
    return (
        f"the {moved_piece.symbol} from {action.source} to {action.target}"
        if moved_piece
        else f"an egg on {action.target}"
    )


def format_side(side: Side) -> str:
    """A side, as a sentence begins with it."""
    return str(side).capitalize()


def _format_developed(turn: Turn, became_verb: str) -> str:
    """A sentence about the pieces that developed: which cells became what."""
    clauses = []
    for symbol in Symbol:
        if cells := [developed.cell for developed in turn.developed_pieces if developed.new_symbol is symbol]:
            new_symbols = f"{symbol}s" if len(cells) > 1 else _WITH_ARTICLE[symbol]
            clauses.append(f"{join_words(cells)} {became_verb} {new_symbols}")
    return f"{join_words(clauses)}."
