"""Hands of quick people. Their speed depends on the person's pace."""

from tests.simulator.hands import HOVER_HEIGHT, OFF_CENTRE_DISTANCE, TILT_HEIGHT, SimulatedHands

LENGTHS = (HOVER_HEIGHT, OFF_CENTRE_DISTANCE, TILT_HEIGHT)
"""Ranges of random lengths, which do not depend on the pace."""

TOUCH_SECONDS = (0.05, 0.3)
"""Range of times for which a piece touches a cell on its way, in seconds."""

REST_SECONDS = 0.2
"""Seconds after which a touch counts as putting the piece down and then moving it on."""

BAD_PLACEMENT_SHARE = 0.05
"""Fraction of pieces that are put down badly."""

OFF_CENTRE_RANGE = (0.28, 0.38)
"""Range of distances between a badly placed piece and the middle of its cell, in cells.

The sensor of an empty neighbouring cell detects pieces within 0.59 cells.
"""


class QuickHands(SimulatedHands):
    """Hands that move at the pace of their owner.

    Args:
        table: Simulated table.
        random: Random number generator.
        play: Observer of the movements.
        pace: Seconds from the moment when the other player's piece is down to the moment when this player's is.

    Attributes:
        touchable: Predicate for cells that may be touched for longer on the way; None if there are no such cells.
        careless: True if pieces may be put down badly.
        rested: Cells that were touched so long that the piece may seem to stay there.
        lands_at: Preferred time to put the piece down. If there is time, the movement starts later.
        not_before: Earliest time to put the piece down.
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
        if path.points[-1].instant - path.points[-4].instant > REST_SECONDS:
            self.rested.append(cell)

    def _landing_point(self, cell):
        if not self.careless or not self._random_chance(BAD_PLACEMENT_SHARE):
            return super()._landing_point(cell)
        x, y = self._grid.cell_coordinates(cell)
        by = self.random.uniform(*OFF_CENTRE_RANGE)
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
