"""Design rules of PCB manufacturers, and the files that they get."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

MAKER_RULES = """(version 1)
(rule "tracks" (constraint track_width (min 0.2mm)))
(rule "clearance" (constraint clearance (min 0.2mm)))
(rule "copper to the edge" (constraint edge_clearance (min 0.5mm)))
(rule "holes" (constraint hole_size (min 0.3mm)))
(rule "copper around holes" (constraint annular_width (min 0.15mm)))
(rule "letters" (constraint text_height (min 0.8mm)))
(rule "lines of letters" (constraint text_thickness (min 0.12mm)))
"""
"""Design rules that every PCB manufacturer can meet. Without these rules, KiCad accepts tracks of any width."""

EXPORT_SUFFIXES = ("-gerbers.zip", ".png", "-back.png")
"""Suffixes of the files that KiCad exports from a board."""


def write_design(folder: Path, name: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a board to its folder. Delete KiCad's exports if the board changes.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    board_file = folder / f"{name}.kicad_pcb"
    before = board_file.read_bytes() if board_file.exists() else b""
    for file_name, content in files:
        (folder / file_name).write_bytes(content)
    if board_file.read_bytes() != before:
        for end in EXPORT_SUFFIXES:
            folder.joinpath(name + end).unlink(missing_ok=True)
