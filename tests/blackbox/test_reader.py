"""Tests of reading complete, truncated and damaged files."""

import gzip
import json
import zlib
from datetime import date
from random import Random

import pytest

from pond_hw.blackbox import read_box
from pond_hw.blackbox.format import BoxHeader
from pond_hw.messages.message import Message
from pond_hw.rules import PondError
from tests.blackbox.recordings import random_notes, read_error, rounded, write_and_read


def test_file_is_plain_header_then_gzip(path):
    write_and_read(path, random_notes(1), today=lambda: date(2026, 1, 31))
    first, packed = path.read_bytes().split(b"\n", 1)
    head = json.loads(first)
    assert head["box"] == "pond black box"
    assert (head["format"], head["command"], head["profile"], head["date"]) == (2, "serve", "a-board", "2026-01-31")
    assert (head["size"], head["lamps"], head["strip"]) == (4, 1, 0)
    assert zlib.decompress(packed, wbits=31).startswith(b'["b",0,4,1,0]\n["r",')


def test_complete_file_is_read(path):
    notes = random_notes()
    box = write_and_read(path, notes)
    assert box.damage is None
    assert rounded(box.notes) == rounded(notes)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.long)])
def test_truncated_file_is_read_up_to_its_end(path, tmp_path, step):
    whole = list(write_and_read(path, random_notes(1.2)).notes)
    data, torn = path.read_bytes(), tmp_path / "torn"
    note_count = len(whole)
    assert len(data) > 1200
    for cut in range(len(data) - 1, len(data) - 1025, -step):
        torn.write_bytes(data[:cut])
        box = read_box(torn)
        assert list(box.notes) == whole[: len(box.notes)]
        assert len(box.notes) <= note_count
        seconds = max(note.instant for note in box.notes) - box.notes[0].instant
        assert box.damage == Message("recording.incomplete.torn", seconds=seconds)
        note_count = len(box.notes)
    assert note_count < len(whole)


def test_file_truncated_in_header_is_refused(path, tmp_path):
    write_and_read(path, random_notes(1))
    data, torn = path.read_bytes(), tmp_path / "torn"
    end = data.index(b"\n") + 1
    for cut in range(1, end):
        torn.write_bytes(data[:cut])
        assert read_error(torn) == Message("recording.torn_header", file=str(torn))
    torn.write_bytes(data[:end])
    assert read_error(torn) == Message("recording.nothing.torn", file=str(torn))


def test_file_without_notes_is_refused(path):
    header = BoxHeader("0.1.0", "serve", "", "2026-01-31", 4, 1, 0)
    path.write_bytes(f"{header.first_line}\n".encode() + gzip.compress(b""))
    assert read_error(path) == Message("recording.nothing.whole", file=str(path))


@pytest.mark.slow
def test_random_damage_only_shortens_the_recording(path):
    whole = list(write_and_read(path, random_notes(0.5)).notes)
    data, rng = path.read_bytes(), Random(7)
    for _ in range(200):
        index = rng.randrange(len(data))
        path.write_bytes(data[:index] + bytes([data[index] ^ rng.randrange(1, 256)]) + data[index + 1 :])
        try:
            box = read_box(path)
        except PondError:
            assert index < data.index(b"\n") + 300, "damage after the beginning made the whole file unreadable"
            continue
        assert box.damage or list(box.notes) == whole  # some bytes of gzip's header have no effect


def test_notes_before_damage_are_read(path):
    whole = list(write_and_read(path, random_notes()).notes)
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(data[:half] + bytes(40) + data[half:])
    box = read_box(path)
    seconds = max(note.instant for note in box.notes) - box.notes[0].instant
    assert box.damage == Message("recording.incomplete.damaged", seconds=seconds)
    assert len(box.notes) > len(whole) // 4
    assert list(box.notes[: len(whole) // 4]) == whole[: len(whole) // 4]


def test_other_files_are_refused(path):
    head = '{"box": "pond black box", "format": 2, "version": "1", "command": "x", "profile": "", "date": "", '
    for content, reason in (
        ("", "empty"),
        ("[Variant]\n", "not_a_recording"),
        ("\0" * 9000, "not_a_recording"),
        (head + '"size": 9, "lamps": 1, "strip": 0}\n', "damaged_header"),
        (head + '"size": 4, "lamps": 1, "strip": 0}\nno gzip', "nothing.damaged"),
    ):
        path.write_text(content)
        assert read_error(path) == Message(f"recording.{reason}", file=str(path))
    for other_format in (1, 3):
        path.write_text(f'{{"box": "pond black box", "format": {other_format}, "version": "9.1"}}\n')
        assert read_error(path) == Message("recording.other_format", file=str(path), version="9.1")
    for where, reason in (
        (path.parent, "Is a directory"),
        (path.parent / "nothing", "No such file or directory"),
        (path.parent / "a\0b", "embedded null byte"),
    ):
        assert read_error(where) == Message("recording.unreadable", file=str(where), reason=reason)
