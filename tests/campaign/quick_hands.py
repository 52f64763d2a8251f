"""The hands of people who do not wait: as quick as their owners."""

from tests.simulator.hands import HOVER_HEIGHT, OFF_CENTRE_DISTANCE, TILT_HEIGHT, SimulatedHands

LENGTHS = (HOVER_HEIGHT, OFF_CENTRE_DISTANCE, TILT_HEIGHT)
"""What hands draw that are no times."""

TOUCH_SECONDS = (0.05, 0.3)
"""How long a piece touches a cell on its way."""

RESTS = 0.2
"""A piece that touches a cell for longer has been put down there, as far as anybody can tell, and is moved on."""

BADLY = 0.05
"""The share of pieces that are put down badly."""

OFF_CENTRE = (0.28, 0.38)
"""How far from the middle they stand then, in cells: a sensor beside them, left by its own piece, feels them within 0.59."""


class QuickHands(SimulatedHands):
    """Hands that are as quick as the pace of the one whose they are.

    Args:
        table: where they are.
        random: their dice.
        play: hears what they do.
        pace: seconds from the other's piece to one's own.

    Attributes:
        touchable: says whether a cell may be touched for long on the way; None: none is.
        careless: whether a piece may be put down badly.
        rested: the cells that it has touched, or will, for so long that it may have been meant to stay there.
        lands_at: when a piece is put down, if that can be; a hand begins later if it has time.
        not_before: before this instant it is not put down in any case.
    """

    def __init__(self, table, random, play, pace):
        super().__init__(table, random)
        self.play = play
        self.brisk = min(1.0, max(0.5, pace / 2.0))
        self.doubt = min(0.6, 0.25 * pace)
        self.touchable = None
        self.careless = False
        self.rested = []
        self.lands_at = self.not_before = 0.0

    def _random_between(self, between):
        drawn = super()._random_between(between)
        return drawn if between in LENGTHS else drawn * self.brisk

    def _pause_to_think(self, path):
        path.stay_for(self.random.uniform(0.0, self.doubt))

    def _random_hovers(self, source, target):
        cells = super()._random_hovers(source, target)
        if self.touchable is None:
            return cells
        return [cell for cell in cells if (cell == source or self._is_free(cell)) and self.touchable(cell)]

    def _hover_over(self, path, cell, seconds=None):
        if self.touchable is None:
            super()._hover_over(path, cell, seconds)
            return
        least, most = TOUCH_SECONDS
        super()._hover_over(path, cell, least + (most - least) * self.random.random() ** 3)
        if path.points[-1].instant - path.points[-4].instant > RESTS:
            self.rested.append(cell)

    def _landing_point(self, cell):
        if not self.careless or not self._random_chance(BADLY):
            return super()._landing_point(cell)
        x, y = self._grid.cell_coordinates(cell)
        by = self.random.uniform(*OFF_CENTRE)
        u, v = self.random.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
        return x + by * u, y + by * v

    def _is_free(self, cell):
        return cell not in self.play.world.busy and super()._is_free(cell)

    def _start_motion(self, moves, into=None, *, face=None):
        (_, path, _), *_ = moves
        late = max(self.lands_at, self.not_before) - path.points[-1].instant
        if late > 0.0:
            path.points[:] = [point._replace(instant=point.instant + late) for point in path.points]
        motion = super()._start_motion(moves, into, face=face)
        self.play.moved(moves, motion.ends_at)
        return motion
