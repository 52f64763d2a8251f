"""Notes of a black box, in words: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pond_hw.blackbox import BoardOpened, BoxNote, FrameShown, LampsHealth
from pond_hw.board import RGB, Frame, HealthEvent, KeyEvent, Sample, Touch
from pond_hw.rules import get_grid


def format_notes(notes: Iterable[BoxNote]) -> Iterator[str]:
    """Every note as a line: the second since the first one, what kind of note it is, and what it says.

    A frame tells the cells in which it differs from the one before, with all lamps of each; a reading the sensors that
    say something else, and the counts of all, where it has any.
    """
    begun: float | None = None
    frame, levels, size = Frame.dark_frame(3, 1), tuple[int, ...](), 3
    for note in notes:
        begun = note.instant if begun is None else begun
        match note:
            case BoardOpened():
                size, levels, frame = note.size, (), Frame.dark_frame(*note[:3])
                kind, says = "board", format_note(note)
            case FrameShown():
                kind, says = "frame", format_frame(frame, note.frame)
                frame = note.frame
            case Sample():
                kind, says = "read", format_sample(levels, note, size)
                if note.raw_values is not None:
                    says += f"  counts {' '.join(map(str, note.raw_values))}"
                levels = note.levels
            case Touch() | KeyEvent():
                kind, says = "felt", format_note(note)
            case _:
                kind, says = "fault", format_note(note)
        yield f"{note.instant - begun:13.6f}  {kind:5}  {says}"


def format_note(note: BoxNote) -> str:
    """What happened, but for frames and readings, which are told by what has changed."""
    match note:
        case BoardOpened(size, lamps, strip):
            each = "one lamp in a cell" if lamps == 1 else f"{lamps} lamps in a cell"
            strips = f", {strip} in each score strip" if strip else ""
            return f"a board of {size}x{size} is opened, {each}{strips}"
        case Touch(cell, down, _, owner):
            return f"{cell} {'down' if down else 'up'}{'' if owner is None else f', {owner}'}"
        case KeyEvent(down, _):
            return f"the key {'down' if down else 'up'}"
        case HealthEvent(trouble, _):
            return trouble or "The sensors are back."
        case LampsHealth(trouble, _):
            return trouble or "The lamps are back."
    raise AssertionError(note)


def format_sample(before: Sequence[int], reading: Sample, size: int) -> str:
    """Which sensors say something else than before; before the first reading none is known."""
    known = before or (0,) * len(reading.levels)
    pairs = zip(get_grid(size).cells, known, reading.levels, strict=True)
    return " ".join(f"{cell}={level}" for cell, old, level in pairs if old != level) or "as before"


def format_frame(before: Frame, frame: Frame) -> str:
    """The cells whose lamps differ from those before, with the colours of each lamp from the top left on."""
    cells = [
        f"{cell}={format_lamp_colours(frame[cell])}"
        for cell in get_grid(frame.size).cells
        if frame[cell] != before[cell]
    ]
    strips = zip(("light", "dark"), split_strips(before), split_strips(frame), strict=True)
    return (
        " ".join(cells + [f"{side}={format_lamp_colours(new)}" for side, old, new in strips if old != new])
        or "as before"
    )


def split_strips(frame: Frame) -> tuple[tuple[RGB, ...], tuple[RGB, ...]]:
    """Light's and dark's score strip."""
    data = frame.data[frame.size**2 * frame.lamps_per_cell * 3 :]
    lamps = tuple(zip(data[0::3], data[1::3], data[2::3], strict=True))
    return lamps[: frame.strip_lamps], lamps[frame.strip_lamps :]


def format_lamp_colours(lamps: Iterable[RGB]) -> str:
    """Lamps as hexadecimal red, green and blue."""
    return "/".join("{:02x}{:02x}{:02x}".format(*lamp) for lamp in lamps)
