"""One piece of a tournament, played by whoever has a hand free."""

from __future__ import annotations

from math import inf
from threading import local
from typing import Any

from pond_hw.engine.engine_names import mind
from pond_hw.engine.engines import Mind
from pond_hw.engine.external_program import OutsideMind, is_outside
from pond_hw.engine.packed import to_action
from pond_hw.lab.engine_game import Table
from pond_hw.lab.tournament_plan import Plan, can_go_on
from pond_hw.rules import PondError


class _Seats(local):
    """The minds that play in one thread, and the plan they sit there for: they keep the memory that they have taken."""

    plan: Plan | None = None

    def __init__(self) -> None:
        self.minds: dict[str, Mind | OutsideMind] = {}

    def of(self, plan: Plan, name: str) -> Mind | OutsideMind:
        if self.plan != plan:
            can_go_on(plan)
            self.leave()
            self.plan, self.minds = plan, {}
        if name not in self.minds:
            # No patience is needed here; what a level does must not depend on how much else the machine has to do.
            self.minds[name] = OutsideMind(name, plan.limit) if is_outside(name) else mind(name, plan.memory, inf)
        return self.minds[name]

    def leave(self) -> None:
        for each in self.minds.values():
            if isinstance(each, OutsideMind):
                each.close()


_seats = _Seats()


def leave() -> None:
    """No more is played here for now: no program from outside goes on running."""
    _seats.leave()


def play_piece(plan: Plan, number: int, piece: int) -> list[list[Any]]:
    """The games of a piece, pair by pair, as they are written down; see `tally.COLUMNS`.

    Args:
        plan: what is played.
        number: of the match.
        piece: its number in the match.

    Raises:
        PondError: this is not the program that the plan was made for.
    """
    match = plan.matches[number]
    try:
        first, second = (_seats.of(plan, name) for name in match.players)
    except PondError as error:
        raise PondError(f"A worker cannot play this: {error}.") from None
    table = Table(match.pond)
    games: list[list[Any]] = []
    for pair in plan.pairs_of(match, piece):
        opening = table.opening(plan.opening, plan.chance(match, "opening", pair))
        for game, (light, dark) in ((2 * pair, (first, second)), (2 * pair + 1, (second, first))):
            if plan.alone:
                opening = table.opening(plan.opening, plan.chance(match, "opening", game), game)
            bout = table.play(light, dark, opening, plan.chance(match, "game", game))
            told = [bout.winner, bout.reason, bout.length, bout.light, bout.dark, int(bout.again)]
            if plan.records:
                told.append(" ".join(str(to_action(action, match.pond)) for action in bout.actions))
            games.append(told)
    return games
