"""Recordings as text, with one line per note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pond_hw.blackbox import BoardOpened, BoxNote, FrameShown, LampsHealth
from pond_hw.board import RGB, Frame, HealthEvent, KeyEvent, Sample, Touch, TurnKeyEvent
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import get_grid


def format_notes(notes: Iterable[BoxNote], language: str = "en") -> Iterator[str]:
    """Format each note as a line of text: seconds since the first note, kind of note, details.

    For a frame, the line lists the changed cells with the colours of all their lamps. For a sample, it lists the
    changed sensors, followed by all raw counts if there are any. A dash means that nothing changed.
    """
    first_instant: float | None = None
    catalogue = get_catalogue(language)
    frame, levels, size = Frame.dark_frame(3, 1), tuple[int, ...](), 3
    for note in notes:
        first_instant = note.instant if first_instant is None else first_instant
        match note:
            case BoardOpened():
                size, levels, frame = note.size, (), note.dark_frame
                note_kind, note_text = "board", catalogue.text(describe_note(note))
            case FrameShown():
                note_kind, note_text = "frame", format_frame(frame, note.frame)
                frame = note.frame
            case Sample():
                note_kind, note_text = "read", format_sample(levels, note, size)
                if note.raw_values is not None:
                    note_text += f"  counts {' '.join(map(str, note.raw_values))}"
                levels = note.levels
            case Touch() | KeyEvent() | TurnKeyEvent():
                note_kind, note_text = "input", catalogue.text(describe_note(note))
            case _:
                note_kind, note_text = "fault", catalogue.text(describe_note(note))
        yield f"{note.instant - first_instant:13.6f}  {note_kind:5}  {note_text}"


def describe_note(note: BoxNote) -> Message:
    """Describe a note that is neither a frame nor a sample."""
    match note:
        case BoardOpened(size, lamps, 0, _):
            return Message("recording.board", size=size, count=lamps)
        case BoardOpened(size, lamps, strip, _):
            return Message("recording.board_with_strips", size=size, count=lamps, strip=strip)
        case Touch(cell, down, _, None):
            return Message(f"recording.touch.{'down' if down else 'up'}", cell=cell)
        case Touch(cell, down, _, owner):
            return Message(f"recording.touch.{'down' if down else 'up'}_owned", cell=cell, side=str(owner))
        case KeyEvent(down, _):
            return Message(f"recording.key.{'down' if down else 'up'}")
        case TurnKeyEvent(None, down, _):
            return Message(f"recording.turn_key.{'down' if down else 'up'}")
        case TurnKeyEvent(side, down, _):
            return Message(f"recording.turn_key.{'down' if down else 'up'}_owned", side=str(side))
        case HealthEvent(trouble, _):
            return trouble or Message("recording.sensors_back")
        case LampsHealth(trouble, _):
            return trouble or Message("recording.lamps_back")
    raise AssertionError(note)


def format_sample(levels_before: Sequence[int], new_sample: Sample, size: int) -> str:
    """Format the sensors that have changed since the previous sample."""
    known_levels = levels_before or (0,) * len(new_sample.levels)
    level_pairs = zip(get_grid(size).cells, known_levels, new_sample.levels, strict=True)
    return " ".join(f"{cell}={level}" for cell, old, level in level_pairs if old != level) or "-"


def format_frame(frame_before: Frame, frame: Frame) -> str:
    """Format the cells that have changed since the previous frame, with the colours of all their lamps."""
    cells = get_grid(frame.size).cells
    old_lamps = [*map(frame_before.__getitem__, cells), *frame_before.score_strips, frame_before.key_colours]
    new_lamps = [*map(frame.__getitem__, cells), *frame.score_strips, frame.key_colours]
    lamp_changes = zip((*cells, "light", "dark", "keys"), old_lamps, new_lamps, strict=True)
    return " ".join(f"{where}={format_lamp_colours(new)}" for where, old, new in lamp_changes if old != new) or "-"


def format_lamp_colours(lamps: Iterable[RGB]) -> str:
    """Format colours as hexadecimal RGB values separated by slashes."""
    return "/".join("{:02x}{:02x}{:02x}".format(*lamp) for lamp in lamps)
