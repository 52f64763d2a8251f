"""Forced wins by exhaustive search with `pond_hw.rules` alone, without the engine."""

from pond_hw.rules import Action, Position, find_outcome, legal_actions, play


class RulesProof:
    """Exhaustive search with a cache."""

    def __init__(self) -> None:
        self._enough: dict[Position, int] = {}
        self._too_few: dict[Position, int] = {}
        self._refutations: dict[tuple[object, int], Action] = {}

    def can_win(self, position: Position, own_actions: int) -> bool:
        """Return True if the side to move can force a win within this many of its own actions."""
        if own_actions < 1 or find_outcome(position):
            return False
        if self._enough.get(position, 99) <= own_actions:
            return True
        if self._too_few.get(position, 0) >= own_actions:
            return False
        children = [(play(position, action).after, action) for action in legal_actions(position)]
        won = any(self.must_lose(after, 0) for after, _ in children)
        if not won and own_actions > 1:
            mover = position.to_move
            children.sort(key=lambda child: child[0].scored[mover.other_side] - child[0].scored[mover])
            won = any(self.must_lose(after, own_actions - 1) for after, _ in children)
        if won:
            self._enough[position] = own_actions
        else:
            self._too_few[position] = own_actions
        return won

    def must_lose(self, position: Position, their_actions: int) -> bool:
        """Return True if the side to move has lost, or the other side can force a win within this many of its actions."""
        outcome = find_outcome(position)
        if outcome:
            return outcome.winner is position.to_move.other_side
        if their_actions < 1:
            return False
        mover = position.to_move
        killer = self._refutations.get((mover, their_actions))
        turns = [play(position, action) for action in legal_actions(position)]
        turns.sort(
            key=lambda turn: (
                turn.action != killer,
                turn.after.scored[mover.other_side] - turn.after.scored[mover],
            )
        )
        for turn in turns:
            after = turn.after
            outcome = find_outcome(after)
            if outcome.winner is not mover.other_side if outcome else not self.can_win(after, their_actions):
                self._refutations[mover, their_actions] = turn.action
                return False
        return True

    def has_lost(self, after: Position, their_actions: int) -> bool:
        """Return True if the side that just acted has lost, or the other side can force a win within this many of its actions."""
        outcome = find_outcome(after)
        if outcome:
            return outcome.winner is after.to_move
        return self.can_win(after, their_actions)


def explain_flaw(puzzle) -> str:
    """Return the fault in a puzzle, or an empty text."""
    proof, position, actions = RulesProof(), puzzle.position, legal_actions(puzzle.position)
    after = {action: play(position, action).after for action in actions}
    if puzzle.answer not in after:
        return f"{puzzle.answer} is not legal"
    side = position.to_move
    match str(puzzle.kind):
        case "score":
            right = [action for action in actions if after[action].scored[side] - position.scored[side] >= 3]
        case "save":
            right = [action for action in actions if not proof.has_lost(after[action], puzzle.actions)]
        case _:
            if proof.can_win(position, puzzle.actions - 1):
                return f"there is a win in fewer than {puzzle.actions}"
            right = [action for action in actions if proof.must_lose(after[action], puzzle.actions - 1)]
    if right != [puzzle.answer]:
        return f"{puzzle.answer} is the answer, but right are {', '.join(map(str, right)) or 'none'}"
    if str(puzzle.kind) == "only":
        holding = [action for action in actions if not proof.has_lost(after[action], puzzle.against)]
        if holding != [puzzle.answer]:
            return f"{', '.join(map(str, holding))} do not lose within {puzzle.against}"
    return ""
