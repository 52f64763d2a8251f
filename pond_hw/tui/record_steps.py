"""Where one is in a game, and what there is to see there. Pure: whoever steps owns time."""

from __future__ import annotations

from itertools import chain

from pond_hw.lights import turn_seconds
from pond_hw.rules import Record, Turn
from pond_hw.session import Role, Scene, Session, Sight

PACE = 1.2
"""Seconds for which a position is seen before the next turn, when the game plays by itself."""

PAGE = 10
"""Turns of a page."""


class Steps:
    """A game that is gone through.

    Args:
        record: of the game.

    Attributes:
        at: how many turns have been taken where it is.
        playing: whether it goes on as time passes.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.at = 0
        self.playing = False
        self._since = 0.0  # when it came here
        self._forth = False  # whether by one turn, which is then played out in light

    @property
    def last(self) -> int:
        """How many turns the game has."""
        return len(self.record.turns)

    @property
    def turn(self) -> Turn | None:
        """The turn that was taken last, where it is."""
        return self.record.turns[self.at - 1] if self.at else None

    def go(self, at: int, now: float) -> None:
        """Be after so many turns, or at the end that is nearer."""
        at = min(max(0, at), self.last)
        if at != self.at:
            self._forth = at == self.at + 1
            self.at, self._since = at, now

    def go_to_pair(self, number: int, now: float) -> None:
        """Be after the first action of a pair, as the record numbers them."""
        self.go(2 * number - 1 - self.record.start_position.to_move, now)

    def play(self, now: float) -> None:
        """Go on by itself, at once by a turn, or stop; at the end, begin again."""
        self.playing = not self.playing
        if self.playing:
            if self.at == self.last:
                self.go(0, now)
            self.go(self.at + 1, now)

    def pass_time(self, now: float) -> None:
        """It is so late."""
        if self.playing:
            turn = self.turn
            lasts = PACE + (turn_seconds(turn) if turn and self._forth else 0.0)
            if now - self._since >= lasts:
                self.go(self.at + 1, now)
            self.playing = self.at < self.last

    @property
    def session(self) -> Session:
        """The game as it stands here."""
        record, over = self.record, self.at == self.last
        return Session(
            size=record.pond.size,
            pond=record.pond,
            turns=record.turns[: self.at],
            ended=record.ended if over else None,
            fresh=self._forth,
            since=self._since,
            begun=record.start,
        )

    @property
    def scene(self) -> Scene:
        """What the lamps show: the pieces, and no more."""
        scene = self.session.scene
        sights = {
            cell: sight._replace(role=Role.PLAIN if sight.role is Role.OPEN else sight.role)
            for cell, sight in scene.sights.items()
        }
        return scene._replace(sights=sights)


def marked(scene: Scene, turn: Turn | None) -> Scene:
    """A scene with the cells of a turn marked: where it ended, what developed, and what scored, which has gone."""
    if turn is None:
        return scene
    sights = dict(scene.sights)
    scored = set(chain.from_iterable(turn.scored.values()))
    for cell in (d.cell for d in turn.developed):
        sights[cell] = sights[cell]._replace(role=Role.TURN)
    sights[turn.action.target] = sights[turn.action.target]._replace(role=Role.CHOSEN)
    for cell in scored:
        sights[cell] = Sight(turn.standing[cell], Role.TAKE_OFF, cell == turn.action.target)
    return scene._replace(sights=sights)
