"""Notes of a black box, in words: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pond_hw.blackbox import LampsSay, Note, Opened, Shown
from pond_hw.board import RGB, Frame, Health, Key, Reading, Touch
from pond_hw.rules import grid


def lines(notes: Iterable[Note]) -> Iterator[str]:
    """Every note as a line: the second since the first one, what kind of note it is, and what it says.

    A frame tells the cells in which it differs from the one before, with all lamps of each; a reading the sensors that
    say something else, and the counts of all, where it has any.
    """
    begun: float | None = None
    frame, levels, size = Frame.dark(3, 1), tuple[int, ...](), 3
    for note in notes:
        begun = note.at if begun is None else begun
        match note:
            case Opened():
                size, levels, frame = note.size, (), Frame.dark(*note[:3])
                kind, says = "board", told(note)
            case Shown():
                kind, says = "frame", told_frame(frame, note.frame)
                frame = note.frame
            case Reading():
                kind, says = "read", told_reading(levels, note, size)
                if note.raw is not None:
                    says += f"  counts {' '.join(map(str, note.raw))}"
                levels = note.levels
            case Touch() | Key():
                kind, says = "felt", told(note)
            case _:
                kind, says = "fault", told(note)
        yield f"{note.at - begun:13.6f}  {kind:5}  {says}"


def told(note: Note) -> str:
    """What happened, but for frames and readings, which are told by what has changed."""
    match note:
        case Opened(size, lamps, strip):
            each = "one lamp in a cell" if lamps == 1 else f"{lamps} lamps in a cell"
            strips = f", {strip} in each score strip" if strip else ""
            return f"a board of {size}x{size} is opened, {each}{strips}"
        case Touch(cell, down, _, owner):
            return f"{cell} {'down' if down else 'up'}{'' if owner is None else f', {owner}'}"
        case Key(down, _):
            return f"the key {'down' if down else 'up'}"
        case Health(trouble, _):
            return trouble or "The sensors are back."
        case LampsSay(trouble, _):
            return trouble or "The lamps are back."
    raise AssertionError(note)


def told_reading(before: Sequence[int], reading: Reading, size: int) -> str:
    """Which sensors say something else than before; before the first reading none is known."""
    known = before or (0,) * len(reading.levels)
    pairs = zip(grid(size).cells, known, reading.levels, strict=True)
    return " ".join(f"{cell}={level}" for cell, old, level in pairs if old != level) or "as before"


def told_frame(before: Frame, frame: Frame) -> str:
    """The cells whose lamps differ from those before, with the colours of each lamp from the top left on."""
    cells = [f"{cell}={coloured(frame[cell])}" for cell in grid(frame.size).cells if frame[cell] != before[cell]]
    strips = zip(("light", "dark"), strips_of(before), strips_of(frame), strict=True)
    return " ".join(cells + [f"{side}={coloured(new)}" for side, old, new in strips if old != new]) or "as before"


def strips_of(frame: Frame) -> tuple[tuple[RGB, ...], tuple[RGB, ...]]:
    """Light's and dark's score strip."""
    data = frame.data[frame.size**2 * frame.lamps * 3 :]
    lamps = tuple(zip(data[0::3], data[1::3], data[2::3], strict=True))
    return lamps[: frame.strip], lamps[frame.strip :]


def coloured(lamps: Iterable[RGB]) -> str:
    """Lamps as hexadecimal red, green and blue."""
    return "/".join("{:02x}{:02x}{:02x}".format(*lamp) for lamp in lamps)
