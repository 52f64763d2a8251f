"""Explanations of detected pieces based on the rules alone, and positions for tests.

The oracle uses positions and turns, but none of the decisions made in `pond_hw.session`.
"""

from itertools import permutations, product
from random import Random

from pond_hw.rules import Action, Position, find_outcome, legal_actions, play
from pond_hw.session import (
    CellRole,
)
from tests.rules.positions import random_game

# Rules


def owners_by_cell(position):
    """Return the owners of the pieces by cell."""
    return {cell: piece.owner for cell, piece in position.pieces.items()}


def owners_after(position, standing, action):
    """Return the owners by cell after an action, before anything scores."""
    after = {cell: owner for cell, owner in standing.items() if cell != action.source}
    return after | {action.target: position.to_move}


def scored_cells_of(turn):
    """Return the cells of all pieces that scored."""
    return {cell for run in turn.sets for cell in run}


def quick_replies(turn):
    """Return the replies that are possible while the scored pieces are still on the board."""
    return (
        []
        if find_outcome(turn.after)
        else [a for a in legal_actions(turn.after) if a.target not in scored_cells_of(turn)]
    )


def find_explanations(position, detected, *, owners=False):
    """Return all sequences of one or two actions that explain the detected pieces, with scored pieces still on the board.

    Args:
        position: Position before the actions.
        detected: Owners of the detected pieces by cell.
        owners: True if the sensors detect owners.
    """

    def alike(standing):
        return standing == detected if owners else standing.keys() == detected.keys()

    found, stood = [], owners_by_cell(position)
    for first in legal_actions(position):
        once = owners_after(position, stood, first)
        if alike(once):
            found.append((first,))
        if len(once.keys() ^ detected.keys()) > 2:
            continue  # a second action changes at most two cells
        turn = play(position, first)
        found += [(first, second) for second in quick_replies(turn) if alike(owners_after(turn.after, once, second))]
    return found


def illegal_actions(position):
    """Return every illegal way to put a piece on an empty cell. The piece may come from outside the board."""
    legal, pieces = set(legal_actions(position)), position.pieces
    empty = [cell for cell in position.grid.cells if cell not in pieces]
    return [Action(*pair) for pair in product((None, *pieces), empty) if pair not in legal]


# Positions


def reachable_positions(pond, most):
    """Return up to `most` different unfinished positions, searching breadth first from the start."""
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


def random_turns(count, ponds, seed, *, scoring=None):
    """Return random turns from random games that did not end with them.

    Optionally, return only turns that score, or only turns that do not.
    """
    rng, found = Random(seed), []
    while len(found) < count:
        game = random_game(rng.randrange(10**6), rng.choice(ponds), 120)
        turns = [turn for turn in game.turns if not turn.outcome and scoring in (None, bool(turn.sets))]
        found += [rng.choice(turns)] if turns else []
    return found


def random_positions(count, ponds, seed):
    """Return random positions from random games, excluding final positions."""
    return [turn.after for turn in random_turns(count, ponds, seed)]


# Hands


def follow_lamp(table):
    """Do what the lamps ask for. Return False if they ask for nothing.

    If the lamps show only where to put a piece, it comes from outside the board, in the colour shown.
    """
    off = [cell for cell in table.shown(CellRole.TAKE_OFF) if cell not in table.session.board_state.tasks.to_remove]
    put = table.shown(CellRole.PUT, CellRole.CHOSEN)
    assert len(off) <= 1, table.describe(f"more than one piece is to be taken off at once: {off}")
    assert len(put) <= 1, table.describe(f"more than one piece is to be put at once: {put}")
    if not off and not put:
        return False
    owner = table.session.view.cells[put[0]].piece.owner if put else None
    if off:
        owner = table.owners[off[0]] if table.owners is not None else None
        table.lift(*off).wait(0.1)
    table.drop(*put, owner=owner).wait(1.0)
    return True


def possible_orders(changes):
    """Return every possible order of sensor changes. Each cell must alternate."""
    found = set()
    for order in permutations(changes):
        last = {}
        if all(last.get(cell) != down and not last.update({cell: down}) for cell, down in order):
            found.add(order)
    return sorted(found)


def sensor_changes(*actions):
    """Return the sensor changes of these actions."""
    return [(cell, down) for action in actions for cell, down in zip(action, (False, True), strict=True) if cell]
