"""What is likely behind each kind of fault, and what to do about it: sentences for somebody with a soldering iron."""

from __future__ import annotations

from typing import NamedTuple


class Remedy(NamedTuple):
    """The likely cause of a fault, and its cure."""

    cause: str
    cure: str


DEAD_CHIP, NOT_REACHED = "dead chip", "not reached"
STUCK_ON, FLAPPING, NEVER, STUCK_OFF = "stuck on", "flapping", "never", "stuck off"
SWAPPED, ELSEWHERE, ROTATED, MIRRORED, SERPENTINE = "swapped", "elsewhere", "rotated", "mirrored", "serpentine"
NO_DIODE, CROSS_TALK, LONG_BOUNCE = "missing diode", "cross-talk", "long bounce"
REVERSED, WEAK, NOISE, DRIFT, OFF_CENTRE = "reversed", "weak", "noise", "drift", "off centre"
POLES = "poles"
NOT_EXAMINED = "not examined"
"""Nobody answered, or nothing could be read: that is no fault of the sensor."""

TURNED = (ROTATED, MIRRORED, SERPENTINE)
"""What is said of the whole board, when all its cells answer as if it lay otherwise."""

_TURNED = Remedy(
    "The board lies the other way round than it was drawn, or its wires were taken in another order.",
    "Run the step `map`: it learns which wire belongs to which cell. Nothing need be soldered.",
)

REMEDIES = {
    DEAD_CHIP: Remedy(
        "The chip has no supply, one of its wires to the Pi is off, or its address is another one.",
        "Measure 3.3 V at its supply pins; follow its data, clock and select wires; look at its address pins.",
    ),
    NOT_REACHED: Remedy(
        "Something that all sensors need is off.",
        "Look at the wires that they share: 3.3 V, ground, data and clock. `pond doctor` tells about the Pi.",
    ),
    STUCK_ON: Remedy(
        "Its wire touches ground, or its button hangs.",
        "Take the wire off the button: if the cell is still pressed, the wire is shorted; else change the button.",
    ),
    FLAPPING: Remedy(
        "A loose contact, a cold joint, or a wire that feels the lamps' wire beside it.",
        "Solder both ends of its wire anew, and lead it away from the lamps' data and supply.",
    ),
    NEVER: Remedy(
        "Its wire is off at one end, its button is dead, or nobody touched it.",
        "Touch the button's end of the wire to ground: if the cell answers, the button is dead; else follow the wire.",
    ),
    STUCK_OFF: Remedy(
        "A contact that is only sometimes one: a cold joint, a broken strand, a worn button.",
        "Move its wire while the step `live` is on and see where it comes and goes; solder it there anew.",
    ),
    SWAPPED: Remedy(
        "Their two wires are exchanged.",
        "Exchange the wires, or run the step `map`, which learns it.",
    ),
    ELSEWHERE: Remedy(
        "Its wire is where that of another cell belongs.",
        "Run the step `map`, which learns where every wire goes; or put the wire where it belongs.",
    ),
    ROTATED: _TURNED,
    MIRRORED: _TURNED,
    SERPENTINE: _TURNED,
    NO_DIODE: Remedy(
        "The diode is missing, bridged by solder, or the wrong way round.",
        "Look at the diode beside the button: its band points to the driven line.",
    ),
    CROSS_TALK: Remedy(
        "Bare wires of both touch, or the lid presses on both buttons.",
        "Look for solder between them; press beside the button and see whether the lid moves it.",
    ),
    LONG_BOUNCE: Remedy(
        "A worn or dirty button, or a loose wire.",
        "Run the step `timing`, which gives it more time; or change the button.",
    ),
    REVERSED: Remedy(
        "Its sensor lies with its other face up, or the piece was held the other way round.",
        "Try the same piece once more; then turn the sensor over.",
    ),
    POLES: Remedy(
        "All magnets lie the other way round than the profile says, or dark's pieces were used.",
        "If they were light's pieces, run the step `calibrate`: it learns which way they pull.",
    ),
    WEAK: Remedy(
        "Its sensor lies too deep or not in the middle, or the magnet is a weak one.",
        "Try another piece; then lift the sensor until it touches the plate above it.",
    ),
    NOISE: Remedy(
        "Its supply is not clean, or its wire runs beside the lamps'.",
        "Give the sensor 100 nF between its supply and ground, and lead its wire another way.",
    ),
    DRIFT: Remedy(
        "The sensor warms up, or a magnet in the case moves.",
        "Let the board warm up for ten minutes and run the step `calibrate`; if it creeps on, change the sensor.",
    ),
    NOT_EXAMINED: Remedy(
        "Nobody pressed there often enough, or the sensor felt nothing: without a screen these look alike.",
        "Run the step `sensors` for these cells. If you press one and nothing happens, say so there.",
    ),
    OFF_CENTRE: Remedy(
        "Every sensor rests a little elsewhere, and this one has not been measured yet.",
        "Run the step `calibrate`.",
    ),
}
"""For buttons, and for what only one kind of sensor has."""

HALLS = {
    STUCK_ON: Remedy(
        "A magnet is near it, its wire touches ground, or it is broken.",
        "Take every magnet away and try again; take its wire off: if a piece is still felt, the wire is shorted.",
    ),
    NEVER: Remedy(
        "Its wire is off at one end, it is soldered in the wrong way round, or no magnet came near enough.",
        "Hold the other face of the magnet over it; measure 3.3 V at the sensor; then follow its wire.",
    ),
    STUCK_OFF: Remedy(
        "A contact that is only sometimes one: a cold joint or a broken strand.",
        "Move its wire while the step `live` is on and see where it comes and goes; solder it there anew.",
    ),
    CROSS_TALK: Remedy(
        "It is too keen, or lies too near to the next cell.",
        "Move it into the middle of its cell, use weaker magnets, or run the step `calibrate`.",
    ),
}
"""What is different under pieces."""


def remedy(kind: str, sensors: str) -> Remedy:
    """What is behind a kind of fault, and what to do, for `button` or `hall` sensors."""
    return HALLS[kind] if sensors == "hall" and kind in HALLS else REMEDIES[kind]
