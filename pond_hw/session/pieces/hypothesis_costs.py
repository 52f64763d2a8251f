"""Costs of hypotheses: how unlikely it is that hands do this or that.

The costs are about logarithms of odds: with 3 more, something is twenty times less likely. They were chosen by hand and
by the campaigns in tests/campaign. Times are in seconds.
"""

from math import inf

from pond_hw.session.pieces.sensors import TOGETHER_SECONDS

MAX_HYPOTHESES = 10  # so many are kept; of more, those that cost most are dropped
MAX_COST = 8.0  # so much more than the best may a hypothesis cost
ACCIDENT_COST = 4.5  # a hypothesis that costs more holds an accident: nothing in it is taken for an action
COMMON = 2.0  # an action that costs no more is nothing unusual
SURE = 3.0  # so much more must every other hypothesis cost before an action counts
LIKELY = 1.95  # so much more, if a difference between board and game looks certain or was announced

# Times that tell one thing from another
PASSING_SECONDS = 0.4  # a piece that stands for so short a time has only touched the cell on its way
SEEN_SECONDS = 0.3  # nobody lifts a piece to turn it over so soon after it developed
SAME_PIECE_SECONDS = 3.0  # nobody lifts the piece that acted again so soon, to act with it once more
SLOW_SECONDS = 1.5  # nobody picks a piece up again to act with it otherwise after so long
SLIP_SECONDS = 0.5  # nobody removes a piece that landed only so long ago
CARRIED_SECONDS = 1.0  # what is put down so soon after a scored piece was removed may be that piece
SWEEP_SECONDS = 1.0  # what a sleeve moves, it moves in so short a time
TURNED_LATE = 2  # people who turn pieces over leave no more than so many for each that they have turned

# An action
PLACED, MOVED = 0.7, 0.3  # an egg, or a piece that had been lifted
BESIDE_AT_ONCE = 2.5  # it ended beside the one before at the same moment: it may be the same piece, off its middle
HASTE_SECONDS, HASTE, HASTE_BESIDE = (
    0.3,
    0.8,
    2.2,
)  # so soon after the action before; the same for a new piece beside it
OUT_OF_ORDER = ((0.09, 1.0), (0.5, 3.5))  # it was done so shortly before the one that it follows
PLAYED_ON = 2.0  # a piece lies where it should not
PLAYED_AFTER_PUT_BACK = 2.0  # somebody has begun to put back what scored
COINCIDENCE = 1.2  # an egg was placed just where a lifted piece could go, or from where the last one came
RETURNED = 2.2  # the latter where people turn pieces over: it may be the piece that comes back
TOO_SOON = 2.0  # it ends where a piece was removed so shortly before that its sensor may have failed
TWO_PIECES = 2.5  # somebody acts who has lifted another piece
LIFTED_EARLY = (
    (TOGETHER_SECONDS, 1.3),
    (0.5, 0.3),
    (1.0, 1.5),
    (8.0, 2.5),
    (inf, 6.0),
)  # the next to act had lifted it
SAME_PIECE = 2.5  # somebody lifts the piece that they have only just acted with
CORRECTED = ((PASSING_SECONDS, 0.8), (SLOW_SECONDS, 2.0), (inf, 5.0))  # so soon after it, its piece was lifted
NOT_COUNTED_YET = 2.0  # at the most, if it does not count yet: people see that
SCORED_CORRECTED = 2.0  # it scored in the turn that counts: it may as well be removed
DENIED, DENIED_OR_TURNED = 3.0, 0.5  # a hand lifted its piece and put it back; the same if it may be turned over

# A piece on a cell by accident
UNEXPLAINED, MISPLACED, CARRIED, PASSED = 5.0, 4.0, 3.5, 0.8
KNOCKED, KNOCKED_BESIDE = 4.0, 0.7  # one that was lifted so shortly before that no hand has carried it
ECHO = ((TOGETHER_SECONDS, 1.5), (0.3, 3.0))  # a piece off the middle of its cell is detected beside it so soon
MISPLACED_BESIDE = 2.5  # one that may have been meant as a move
NOT_ONES_TURN = 1.5  # it is a piece of the side that is not to move

# Scored pieces
PUT_BACK_SCORED = 2.8  # one was put back
REMOVED_AT_ONCE_SECONDS, REMOVED_AT_ONCE = 0.2, 3.0  # the first was removed so soon after it scored
FLIPPED_AT_ONCE = 1.0  # the same for one that had developed before, and may be turned over

# Pieces in hands
CHANGED_MIND, LIFTED_FOR_NOTHING = 0.8, 1.5  # one that was put back
PUSHED = 2.0  # one was not detected while another landed beside it: it may stand between the two
UP_FOR_NOTHING = 3.5  # one is in a hand now that may neither act nor be turned over
TURNED_AT_ONCE = 1.0  # one that has only just acted
UNASKED, TURNED_UNASKED = 0.9, 0.8  # one is, or was, turned over though nobody is asked to do that
TURNED_WITHOUT_FACE = 2.0  # one is turned over that has no other face
UP_FOR_LONGER, UP_FOR_LONG = 0.25, 1.0  # for each second that one is in a hand to be turned over, and at the most
UP_FOR_TURNS = 1.0  # for each turn but the first that is taken meanwhile
