"""Files are read as far as they are good, however they end."""

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
from tests.blackbox.recordings import evening, near, refusal, written


def test_a_file_says_what_it_is_in_plain_text_and_the_rest_can_be_unpacked_by_gzip(path):
    written(path, evening(1), today=lambda: date(2026, 1, 31))
    first, packed = path.read_bytes().split(b"\n", 1)
    head = json.loads(first)
    assert head["box"] == "pond black box"
    assert (head["format"], head["command"], head["profile"], head["date"]) == (2, "serve", "a-board", "2026-01-31")
    assert (head["size"], head["lamps"], head["strip"]) == (4, 1, 0)
    assert zlib.decompress(packed, wbits=31).startswith(b'["b",0,4,1,0]\n["r",')


def test_a_whole_file_lacks_nothing(path):
    notes = evening()
    box = written(path, notes)
    assert box.damage is None
    assert near(box.notes) == near(notes)


@pytest.mark.parametrize("apart", [9, pytest.param(1, marks=pytest.mark.long)])
def test_a_file_that_is_torn_anywhere_is_read_up_to_there(path, tmp_path, apart):
    whole = list(written(path, evening(1.2)).notes)
    data, torn = path.read_bytes(), tmp_path / "torn"
    had = len(whole)
    assert len(data) > 1200
    for cut in range(len(data) - 1, len(data) - 1025, -apart):
        torn.write_bytes(data[:cut])
        box = read_box(torn)
        assert list(box.notes) == whole[: len(box.notes)]
        assert len(box.notes) <= had
        seconds = max(note.instant for note in box.notes) - box.notes[0].instant
        assert box.damage == Message("recording.incomplete.torn", seconds=seconds)
        had = len(box.notes)
    assert had < len(whole)


def test_a_file_that_is_torn_near_its_beginning_says_so(path, tmp_path):
    written(path, evening(1))
    data, torn = path.read_bytes(), tmp_path / "torn"
    end = data.index(b"\n") + 1
    for cut in range(1, end):
        torn.write_bytes(data[:cut])
        assert refusal(torn) == Message("recording.torn_header", file=str(torn))
    torn.write_bytes(data[:end])
    assert refusal(torn) == Message("recording.nothing.torn", file=str(torn))


def test_a_file_without_notes_says_so(path):
    header = BoxHeader("0.1.0", "serve", "", "2026-01-31", 4, 1, 0)
    path.write_bytes(f"{header.first_line}\n".encode() + gzip.compress(b""))
    assert refusal(path) == Message("recording.nothing.whole", file=str(path))


@pytest.mark.slow
def test_damage_anywhere_does_no_more_than_end_what_is_read(path):
    whole = list(written(path, evening(0.5)).notes)
    data, chance = path.read_bytes(), Random(7)
    for _ in range(200):
        place = chance.randrange(len(data))
        path.write_bytes(data[:place] + bytes([data[place] ^ chance.randrange(1, 256)]) + data[place + 1 :])
        try:
            box = read_box(path)
        except PondError:
            assert place < data.index(b"\n") + 300, "only what spoils the beginning leaves nothing to be read"
            continue
        assert box.damage or list(box.notes) == whole  # a byte may say nothing, as some of gzip's first ten


def test_damage_leaves_what_lies_before_it(path):
    whole = list(written(path, evening()).notes)
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(data[:half] + bytes(40) + data[half:])
    box = read_box(path)
    seconds = max(note.instant for note in box.notes) - box.notes[0].instant
    assert box.damage == Message("recording.incomplete.damaged", seconds=seconds)
    assert len(box.notes) > len(whole) // 4
    assert list(box.notes[: len(whole) // 4]) == whole[: len(whole) // 4]


def test_a_file_that_is_no_recording_says_so(path):
    head = '{"box": "pond black box", "format": 2, "version": "1", "command": "x", "profile": "", "date": "", '
    for content, reason in (
        ("", "empty"),
        ("[Variant]\n", "not_a_recording"),
        ("\0" * 9000, "not_a_recording"),
        (head + '"size": 9, "lamps": 1, "strip": 0}\n', "damaged_header"),
        (head + '"size": 4, "lamps": 1, "strip": 0}\nno gzip', "nothing.damaged"),
    ):
        path.write_text(content)
        assert refusal(path) == Message(f"recording.{reason}", file=str(path))
    for other_format in (1, 3):
        path.write_text(f'{{"box": "pond black box", "format": {other_format}, "version": "9.1"}}\n')
        assert refusal(path) == Message("recording.other_format", file=str(path), version="9.1")
    for where, reason in (
        (path.parent, "Is a directory"),
        (path.parent / "nothing", "No such file or directory"),
        (path.parent / "a\0b", "embedded null byte"),
    ):
        assert refusal(where) == Message("recording.unreadable", file=str(where), reason=reason)
