"""Every fault that the reader can report, compared with faults.txt."""

import re
from pathlib import Path

import pytest

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from tests.conftest import each
from tests.profile import texts

FAULTS = Path(__file__).with_name("faults.txt")
BLOCK = re.compile(r"^(\w+): (`.*`)\n((?:  .+\n)+)", re.MULTILINE)
CHANGE = re.compile(r"`([^`]*)` -> `([^`]*)`")


def blocks():
    """Return the blocks of faults.txt: heading, profile, changes and expected faults."""
    _, *parts = re.split(r"^== (.+) ==$", FAULTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [
        (f"{heading} {number}", name, changes, [line[2:] for line in lines.splitlines()])
        for heading, body in zip(parts[0::2], parts[1::2], strict=True)
        for number, (name, changes, lines) in enumerate(BLOCK.findall(body), 1)
    ]


def unescape(text):
    return re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], text)


def format_fault(fault):
    """Format a fault as in faults.txt: place, message id and arguments."""
    arguments = (f"{name}={format_argument(argument)}" for name, argument in fault.reason.arguments.items())
    return f"line {fault.line}, {to_english(fault.place)}: {' '.join((fault.reason.id, *arguments))}"


def format_argument(argument):
    match argument:
        case Message():
            return f"{argument.id}({', '.join(map(str, argument.arguments.values()))})"
        case tuple():
            return "|".join(argument)
        case float():
            return f"{argument:.6g}"
    return str(argument)


@pytest.mark.slow
@each(("block", "name", "changes", "expected"), blocks())
def test_listed_faults_are_found(block, name, changes, expected):
    pairs = [(unescape(old), unescape(new)) for old, new in CHANGE.findall(changes)]
    faults = texts.faults(texts.edited(texts.ALL[name], *pairs))
    assert [format_fault(fault) for fault in faults] == expected
    assert all(
        to_english(fault.message).startswith(f"line {fault.line}, {to_english(fault.place)}: ") for fault in faults
    )


def test_all_blocks_are_parsed():
    lines = FAULTS.read_text(encoding="utf-8").splitlines()
    assert len(blocks()) == sum(" -> " in line for line in lines) > 100


@each("name", texts.ALL)
def test_unchanged_profile_has_no_faults(name):
    assert texts.parse_profile(texts.ALL[name], name).name == name
