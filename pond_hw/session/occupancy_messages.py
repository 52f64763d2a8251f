"""What the wood means, in words: what is missing or too many, what is about to count, what is still to be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pond_hw.rules import Action, Cell, Position, Variant, refusal
from pond_hw.session import selection
from pond_hw.session.board_state import Wood
from pond_hw.session.intents import About, Back, Choosing, Differs, InHand, Taken, moved_piece
from pond_hw.session.interpretation import Game
from pond_hw.session.repair import Step
from pond_hw.session.turn_messages import join, tell_choice


def tell_to_do(wood: Wood) -> str:
    """What is left to be done by hand after a turn; with a blank at the end, if there is anything."""
    turn, off = sorted(wood.turning), sorted(wood.leaving)
    parts = [f"turn over {len(turn)} ({join(turn)})"] if turn else []
    parts += [f"take off {len(off)} ({join(off)})"] if off else []
    if not parts:
        return ""
    told = ", ".join(parts)
    return f"{told[0].upper()}{told[1:]}. "


def tell_reading(game: Game, wood: Wood, masked: frozenset[Cell], ponds: Mapping[Cell, Variant], at_rest: str) -> str:
    """What the board is read as, in a sentence or two.

    Args:
        game: the game.
        wood: what is felt and read.
        masked: the cells that were masked before.
        ponds: the cells of the menu.
        at_rest: what there is to be said when it is at rest.
    """
    told = _masked(wood, wood.doubted - masked), _believed(masked - wood.masked), _reading(game, wood, ponds) or at_rest
    return " ".join(filter(None, told))


def _masked(wood: Wood, found: Iterable[Cell]) -> str:
    cells = sorted(found)
    if not cells:
        return ""
    feel = "feel what is not there" if cells[0] in wood.felt else "feel nothing"
    if len(cells) > 1:
        return f"The sensors of {join(cells)} are taken to be bad: they flicker, or {feel}. Nobody asks them meanwhile."
    feels = feel.replace("feel", "feels", 1)
    return f"The sensor of {cells[0]} is taken to be bad: it flickers, or {feels}. Nobody asks it meanwhile."


def _believed(cells: Iterable[Cell]) -> str:
    healed = sorted(cells)
    if not healed:
        return ""
    return f"The sensor{'s' if len(healed) > 1 else ''} of {join(healed)} can be believed again."


def _reading(game: Game, wood: Wood, ponds: Mapping[Cell, Variant]) -> str | None:
    position = game.position
    match wood.reading:
        case InHand(cell):
            told = tell_choice(position, cell, selection.targets(position, cell))
            return f"{told[:-1]}, or back to {cell}."
        case Choosing(None):
            choices = ", ".join(f"{cell} {pond}" for cell, pond in ponds.items())
            return (
                "The board was cleared. What shall be played? Put a piece on a lit cell and take it off again: "
                f"{choices}. Or put the pieces back to go on."
            )
        case Choosing(str(picked)):
            return f"Take the piece off {picked} again, and {ponds[picked]} begins."
        case About() as about:
            return _about(game, about)
        case Differs() as differs:
            return _differs(game, wood, differs)
    return None


def _about(game: Game, about: About) -> str:
    position, if_still = game.position, f"If nothing moves for {about.seconds:g} seconds"
    match about.doing:
        case Taken(actions):
            told = " and ".join(_acted(position, action) for action in actions)
            if about.by_nod:
                nod = f"nod once more (lift another piece and put it back) within {about.seconds:g} seconds"
                return f"{told[0].upper()}{told[1:]}? If that is {position.to_move}'s turn, {nod}; if not, wait."
            told = f"{told[0].upper()}{told[1:]}? {if_still}, that is {position.to_move}'s turn."
        case Back(turns):
            what = "the last turn" if turns == 1 else f"the last {turns} turns"
            told = f"So the board stood before {what}. {if_still}, {what} will be taken back."
        case _:
            told = f"The board is cleared. {if_still}, another game can be chosen. Or put the pieces back."
    return f"{told} Lift a piece and put it down again if it was something else." if about.others else told


def _acted(position: Position, action: Action) -> str:
    if action.source is None:
        return f"an egg on {action.target}"
    return f"the {moved_piece(position, action).symbol} from {action.source} to {action.target}"


def _differs(game: Game, wood: Wood, differs: Differs) -> str:
    if differs.waits:
        first = join([f"the piece of {step.target}" for step in differs.steps])
        return f"Put {first} back, turned over; then {_acted(game.position, differs.waits)} counts."
    told = [_why(game.position, wood, differs)]
    if differs.steps:
        step = _step(game, differs, differs.steps[0])
        more = len(differs.steps) - 1
        told.append(f"{step}{f' ({more} more to do)' if more else ''}.")
    if differs.half:
        (held,) = differs.difference.missing - {differs.half.source}
        told.append(f"If {_acted(game.position, differs.half)} was meant, put the piece of {held} back first.")
    if differs.offered:
        target, mover = differs.offered.target, game.position.to_move
        told.append(f"If that is {mover}'s turn, lift the piece on {target} and put it down there once more.")
    elif differs.fits:
        turns = "one turn" if differs.fits == 1 else f"{differs.fits} turns"
        told.append(f"Or the board is right: {turns} ago the game stood like this.")
    return " ".join(filter(None, told))


def _why(position: Position, wood: Wood, differs: Differs) -> str:
    """What is wrong: for one piece why the rules do not allow it, else what is missing and what is too many."""
    missing, extra, strangers = differs.difference
    mover = position.to_move
    if not wood.rested and not differs.offered and len(differs.steps) == 1:
        return ""  # nobody has done anything wrong: hands have yet to follow the game
    if len(missing) == 1 and not extra and not strangers:
        (cell,) = missing
        return _lifted(position, cell)
    if len(extra) == 1 and not strangers and len(missing) <= 1 and not differs.offered:
        (target,) = extra
        source = next(iter(missing), None)
        piece = position.piece(source) if source else None
        whose = piece.owner if piece else mover
        felt = wood.owners.get(target, whose)
        if felt is not whose and not source:
            return f"The piece on {target} is {felt}'s, and it is {mover}'s turn."
        why = refusal(position, Action(source, target))
        if why and wood.rested and felt is whose:
            return why
    told = [f"nothing is felt on {join(sorted(missing))}"] if missing else []
    told += [f"there should be nothing on {join(sorted(extra))}"] if extra else []
    # The owner follows from the reading. What is felt now may be newer: a hand may have taken the piece.
    told += [f"the piece on {cell} is {position.pieces[cell].owner.other}'s" for cell in sorted(strangers)]
    return f"Board and game differ: {', '.join(told)}."


def _lifted(position: Position, cell: Cell) -> str:
    refused = selection.press(position, None, cell)
    if isinstance(refused, selection.Refuse):
        return refused.sentence
    return f"Nothing is felt on {cell}."


def _step(game: Game, differs: Differs, step: Step) -> str:
    source, target = step
    pieces = game.turns[-1].before.pieces if differs.back else game.position.pieces
    if target is None:
        return f"Take the piece off {source}"
    piece = pieces[target]
    if source is None:
        back = ", or put the scored pieces back to take the last turn back" if differs.back else ""
        return f"Put {piece.owner}'s {piece.symbol} on {target}{back}"
    return f"Put the piece from {source} on {target}: it is {piece.owner}'s {piece.symbol}"
