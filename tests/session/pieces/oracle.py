"""What the rules alone say about what is detected, and positions to try it in.

It knows positions and turns, and nothing of how `pond_hw.session` decides.
"""

from itertools import permutations, product
from random import Random

from pond_hw.rules import Action, Position, find_outcome, legal_actions, play
from pond_hw.session import (
    CellRole,
)
from tests.rules.positions import random_game

# What the rules say, and nothing else


def sides(position):
    """Whose piece stands where."""
    return {cell: piece.owner for cell, piece in position.pieces.items()}


def stands_after(position, standing, action):
    """Whose piece stands where after an action, before anything has scored."""
    after = {cell: owner for cell, owner in standing.items() if cell != action.source}
    return after | {action.target: position.to_move}


def gone(turn):
    """The cells of everything that has scored."""
    return {cell for run in turn.sets for cell in run}


def seconds(turn):
    """What the other side may do while everything that has scored still stands."""
    return [] if find_outcome(turn.after) else [a for a in legal_actions(turn.after) if a.target not in gone(turn)]


def explanations(position, detected, *, owners=False):
    """Every sequence of one or two legal actions after which this would be detected, while all that scored still stands.

    Args:
        position: the position before them.
        detected: whose piece is detected where.
        owners: whether the sensors can tell whose it is.
    """

    def alike(standing):
        return standing == detected if owners else standing.keys() == detected.keys()

    found, stood = [], sides(position)
    for first in legal_actions(position):
        once = stands_after(position, stood, first)
        if alike(once):
            found.append((first,))
        if len(once.keys() ^ detected.keys()) > 2:
            continue  # a second action can change no more than two cells
        turn = play(position, first)
        found += [(first, second) for second in seconds(turn) if alike(stands_after(turn.after, once, second))]
    return found


def illegal(position):
    """Every way to put one piece, of the board or from beside it, on an empty cell where it may not go."""
    legal, pieces = set(legal_actions(position)), position.pieces
    empty = [cell for cell in position.grid.cells if cell not in pieces]
    return [Action(*pair) for pair in product((None, *pieces), empty) if pair not in legal]


# Positions


def reachable(pond, most):
    """So many positions of a pond that can be acted in, breadth first from the start, none twice."""
    start = Position.start(pond)
    seen, found = {start}, [start]
    for position in found:
        for action in legal_actions(position):
            after = play(position, action).after
            if after not in seen and find_outcome(after) is None:
                if len(found) == most:
                    return found
                seen.add(after)
                found.append(after)
    return found


def sampled_turns(count, ponds, seed, *, scoring=None):
    """So many turns from anywhere in blind games that go on after them; `scoring`: only those that score, or do not."""
    chance, found = Random(seed), []
    while len(found) < count:
        game = random_game(chance.randrange(10**6), chance.choice(ponds), 120)
        turns = [turn for turn in game.turns if not turn.outcome and scoring in (None, bool(turn.sets))]
        found += [chance.choice(turns)] if turns else []
    return found


def sampled(count, ponds, seed):
    """So many positions from anywhere in blind games; none is finished."""
    return [turn.after for turn in sampled_turns(count, ponds, seed)]


# Hands


def follow(table):
    """Do the one thing that the lamps ask for, as somebody would who sees nothing else. False if they ask for nothing.

    Where a piece is to be put and none to be taken off, one comes from beside the board, of the colour that is shown.
    """
    off = [cell for cell in table.shown(CellRole.TAKE_OFF) if cell not in table.session.board_state.tasks.to_remove]
    put = table.shown(CellRole.PUT, CellRole.CHOSEN)
    assert len(off) <= 1, table.drawn(f"more than one piece is to be taken off at once: {off}")
    assert len(put) <= 1, table.drawn(f"more than one piece is to be put at once: {put}")
    if not off and not put:
        return False
    owner = table.session.view.cells[put[0]].piece.owner if put else None
    if off:
        owner = table.owners[off[0]] if table.owners is not None else None
        table.lift(*off).wait(0.1)
    table.drop(*put, owner=owner).wait(1.0)
    return True


def orders(changes):
    """Every order in which changes of sensors can come: each is a change, so a cell goes up and down by turns."""
    found = set()
    for order in permutations(changes):
        last = {}
        if all(last.get(cell) != down and not last.update({cell: down}) for cell, down in order):
            found.add(order)
    return sorted(found)


def changes(*actions):
    """What the sensors feel of these actions."""
    return [(cell, down) for action in actions for cell, down in zip(action, (False, True), strict=True) if cell]
