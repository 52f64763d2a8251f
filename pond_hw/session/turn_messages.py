"""What happened, in words: the sentences that messages and screens tell a turn and an ending with."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.rules import EGG, FROG, TADPOLE, Cell, Outcome, Position, Reason, Side, Symbol, Turn

_A = {EGG: "an egg", TADPOLE: "a tadpole", FROG: "a frog"}
_NUMBERS = {3: "three", 4: "four", 5: "five"}


def tell_turn(turn: Turn) -> str:
    """A whole turn, as one would tell somebody who looked away."""
    told = [_acted(turn)]
    if turn.developed:
        clauses = (_became(turn, symbol) for symbol in Symbol)
        told.append(f"{join([clause for clause in clauses if clause])}.")
    if turn.sets:
        told.append(f"Scored {tell_sets(turn)}.")
    return " ".join(told)


def tell_what_if(turn: Turn) -> str:
    """A whole turn before it is taken: what is done, what would develop, what would score, and how that would end."""
    source, target = turn.action
    what = f"an egg on {target}" if source is None else f"the {turn.piece.symbol} from {source} to {target}"
    told = [f"{what}."]
    if turn.developed:
        clauses = (_became(turn, symbol, "would become") for symbol in Symbol)
        told.append(f"{join([clause for clause in clauses if clause])}.")
    if turn.sets:
        told.append(f"Would score {tell_sets(turn)}.")
    elif not turn.developed:
        told.append("Nothing would grow or score.")
    if turn.outcome:
        told.append(tell_outcome(turn.outcome, turn.after))
    return " ".join(told)


def tell_sets(turn: Turn) -> str:
    """What a turn scored, and for whom: `three eggs on a1-b1-c1: 2 for light and 1 for dark`."""
    lines = [f"{_NUMBERS[len(run)]} {turn.standing[run[0]].symbol}s on {'-'.join(run)}" for run in turn.sets]
    gains = [f"{len(cells)} for {side}" for side, cells in turn.scored.items() if cells]
    return f"{join(lines)}: {join(gains)}"


def tell_outcome(outcome: Outcome, position: Position) -> str:
    """How a game ended."""
    light, dark = position.scored
    winner = outcome.winner
    if winner is None:
        agreed = " by agreement" if outcome.reason is Reason.AGREEMENT else ""
        return f"The game is a draw{agreed}, {light} to {dark}."
    loser = winner.other
    if outcome.reason is Reason.ELIMINATION:
        return f"{name(winner)} wins: {loser} has no action left."
    if outcome.reason is Reason.RESIGNATION:
        return f"{name(winner)} wins: {loser} resigned."
    return f"{name(winner)} wins, {position.scored[winner]} to {position.scored[loser]}."


def tell_prompt(position: Position, *, pieces: bool = False) -> str:
    """What the side to move may do, on a board of buttons or of pieces."""
    side = position.to_move
    movers = any(p.owner is side and p.symbol is not EGG for p in position.pieces.values())
    place = "put an egg on an empty cell" if pieces else "press an empty cell to place an egg"
    move = "move a tadpole or frog of yours" if pieces else "press a tadpole or frog of yours to move it"
    place, move = place if position.spawn[side] else "", move if movers else ""
    return f"{name(side)} to move: {' or '.join(filter(None, (place, move)))}."


def tell_choice(position: Position, chosen: Cell, targets: Sequence[Cell]) -> str:
    """Where the chosen piece may go."""
    piece = position.piece(chosen)
    return f"The {piece.symbol if piece else 'piece'} on {chosen} may go to {join(targets, 'or')}."


def _acted(turn: Turn) -> str:
    source, target = turn.action
    if source is None:
        return f"{name(turn.side)} placed an egg on {target}."
    return f"{name(turn.side)} moved the {turn.piece.symbol} from {source} to {target}."


def name(side: Side) -> str:
    """A side, as a sentence begins with it."""
    return str(side).capitalize()


def _became(turn: Turn, symbol: Symbol, became: str = "became") -> str:
    """The cells whose pieces became this symbol, as a clause; empty if none did."""
    cells = [d.cell for d in turn.developed if d.after is symbol]
    if not cells:
        return ""
    return f"{join(cells)} {became} {f'{symbol}s' if len(cells) > 1 else _A[symbol]}"


def join(parts: Sequence[str], last: str = "and") -> str:
    """Words in a row: `a1, b1 and c1`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
