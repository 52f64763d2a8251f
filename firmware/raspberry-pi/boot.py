"""Add Pond's settings to the two files of the boot partition, and remove them again without a trace.

`pond-board` runs this module, which needs only Python. Our lines are at the end of config.txt, between two markers:

    # >>> Pond, check=1f2e3d4c: managed by pond-board
    [all]
    dtoverlay=
    dtparam=spi=on
    # <<< Pond

The checksum covers the lines between the markers, to detect manual changes.
"""

from __future__ import annotations

import argparse
import re
import sys
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

FRAGMENTS = Path(__file__).resolve().parent / "boot"

CHANGED = 3
"""Exit code if the lines between the markers were changed by hand. The output still contains our own lines."""

FIRST_LINE = "# >>> Pond, check={}: managed by pond-board\n"
LAST_LINE = "# <<< Pond\n"
NO_END = "# (the line before these had no line end)\n"
BLOCK = re.compile(r"^# >>> Pond\b[^\n]*check=(\w*)[^\n]*\n(.*?)^# <<< Pond\b[^\n]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^# (>>>|<<<) Pond\b", re.MULTILINE)

MODELS = {"pi1", "pi2", "pi3", "pi3+", "pi4", "pi400", "pi5", "pi500", "cm4", "cm4s", "cm5", "pi0", "pi0w", "pi02"}
"""Model filters in config.txt."""

ALIASES = {"i2c": "i2c_arm", "i2c1": "i2c_arm", "i2c_baudrate": "i2c_arm_baudrate", "i2c1_baudrate": "i2c_arm_baudrate"}
"""Other names of the bus on GPIO 2 and 3."""


class BootFault(Exception):
    """A problem that the user must fix. The message says how."""


class Setting(NamedTuple):
    """One effective setting in config.txt.

    Attributes:
        model: model filter, or `all`.
        key: name of the setting, such as `core_freq` or `dtparam=spi`; for an overlay the whole line.
        value: its value; empty for an overlay.
    """

    model: str
    key: str
    value: str

    @property
    def line(self) -> str:
        """Line for config.txt."""
        return f"{self.key}={self.value}" if self.value else self.key


def parse_settings(text: str) -> Iterable[Setting]:
    """Parse config.txt as the Pi's firmware does, but skip settings for a screen, GPIO or serial number.

    A parameter after an overlay applies to the overlay if it has one of that name. Among the parameters that matter here,
    only `audio` is ambiguous, so it is skipped after an overlay.
    """
    other_filters: set[str] = set()
    model, overlay = "all", ""
    for line in map(str.strip, text.split("\n")):
        if re.fullmatch(r"\[.*\]", line):
            name = line[1:-1].lower()
            if name == "all":
                other_filters, model = set(), "all"
            elif name in MODELS:
                model = name
            else:
                other_filters.add(name)
            continue
        key, equals, value = line.partition("=")
        if line.startswith("#") or not equals or other_filters:
            continue
        if key in ("dtoverlay", "device_tree_overlay"):
            overlay = value
            if overlay:
                yield Setting(model, f"dtoverlay={overlay}", "")
        elif key in ("dtparam", "device_tree_param"):
            for each in value.split(","):
                name, _, parameter = each.partition("=")
                if not (overlay and name == "audio"):
                    yield Setting(model, f"dtparam={ALIASES.get(name, name)}", parameter or "on")
        else:
            yield Setting(model, key, value)


def add_lines(text: str, fragments: Sequence[str]) -> tuple[str, list[str]]:
    """Return config.txt with our lines at the end, or where they were before. Settings that it already has are left out.

    Args:
        text: current config.txt.
        fragments: names of the files in boot/ with our lines.

    Returns:
        The new text, and remarks about existing settings that ours override.

    Raises:
        BootFault: one of the two markers is missing.
    """
    rest = remove_lines(text)
    set_before = {(each.model, each.key): each.value for each in parse_settings(rest)}
    remarks, inside, has_settings = [], [], False
    for name in fragments:
        fragment = (FRAGMENTS / f"{name}.txt").read_text(encoding="utf-8")
        inside += [f"{line}\n" for line in fragment.splitlines() if line.startswith("#")]
        model = "all"
        for each in parse_settings(fragment):
            before = set_before.get((each.model, each.key), set_before.get(("all", each.key)))
            if before == each.value:
                inside.append(f"# {each.line} is already set.\n")
                continue
            if before is not None:
                remarks.append(
                    f"It also sets {each.key}={before}. Pond sets {each.value} after it, and the last line wins."
                )
            if each.model != model:
                model = each.model
                inside.append(f"[{model}]\n")
            inside.append(f"{each.line}\n")
            has_settings = True
        if model != "all":
            inside.append("[all]\n")
    if not has_settings:
        return rest, remarks
    # After an overlay, a dtparam applies to it (vc4-kms-v3d has its own `audio`). An empty dtoverlay ends that.
    between = "".join(["[all]\n", "dtoverlay=\n", *inside])
    if rest and not rest.endswith("\n"):
        between = NO_END + between
    block = FIRST_LINE.format(checksum(between)) + between + LAST_LINE
    found = BLOCK.search(text)
    if found is None:
        return (rest if rest.endswith("\n") or not rest else rest + "\n") + block, remarks
    return text[: found.start()] + block + remove_lines(text[found.end() :]), remarks


def remove_lines(text: str) -> str:
    """Return config.txt without our lines, otherwise unchanged to the byte.

    Raises:
        BootFault: one of the two markers is missing.
    """
    found = BLOCK.search(text)
    if found is None:
        if MARK.search(text):
            raise BootFault(
                'In config.txt one of the two markers "# >>> Pond" and "# <<< Pond" is missing or out of place. '
                "Delete Pond's lines there by hand and try again."
            )
        return text
    before, after = text[: found.start()], text[found.end() :]
    if not after and NO_END in found[2]:
        before = before.removesuffix("\n")
    return remove_lines(before + after)


def is_edited(text: str) -> bool:
    """Return True if the lines between the markers were changed by hand."""
    found = BLOCK.search(text)
    return found is not None and found[1] != checksum(found[2])


def checksum(between: str) -> str:
    """Return a checksum of the lines between the markers."""
    lines = between.replace("\r\n", "\n")
    return f"{zlib.crc32(lines.encode('utf-8', 'surrogateescape')):08x}"


def add_words(text: str, words: Sequence[str], ours: Iterable[str] = ()) -> tuple[str, list[str], list[str]]:
    """Return cmdline.txt with kernel parameters added to its line.

    Args:
        text: current cmdline.txt.
        words: kernel parameters to add.
        ours: parameters that Pond added earlier.

    Returns:
        The new text, the added parameters, and remarks about other parameters that were kept.

    Raises:
        BootFault: the text does not have exactly one line.
    """
    text = remove_words(text, ours)
    if not words:
        return text, [], []
    line = text.rstrip()
    if not line or "\n" in line:
        raise BootFault("cmdline.txt must be one line: the kernel reads only the first. Join its lines and try again.")
    added, remarks = [], []
    for word in words:
        key, _, value = word.partition("=")
        present_values = [each.partition("=")[2] for each in line.split() if each.partition("=")[0] == key]
        if not present_values:
            added.append(word)
        elif not (present_values[-1].isdigit() and int(present_values[-1]) >= int(value)):
            remarks.append(
                f"It sets {key}={present_values[-1]}, which is too small for this chain of lamps: change it to {word}."
            )
    return line + "".join(f" {word}" for word in added) + text[len(line) :], added, remarks


def remove_words(text: str, words: Iterable[str]) -> str:
    """Return cmdline.txt without the parameters that `add_words` added."""
    for word in words:
        text = re.sub(rf" {re.escape(word)}(?=\s|\Z)", "", text, count=1)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the new boot file. Remarks and errors go to standard error."""
    parser = argparse.ArgumentParser(description="Add Pond's settings to a boot file, or remove them.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, argument_name in (("config", "fragment"), ("unconfig", ""), ("cmdline", "word"), ("uncmdline", "word")):
        sub = commands.add_parser(name, help=f"write the new {name.removeprefix('un')}.txt")
        sub.add_argument("old", type=Path, help="the current file")
        sub.add_argument("new", type=Path, help="where to write the new one")
        if argument_name:
            sub.add_argument("names", nargs="*", metavar=argument_name)
        if name == "cmdline":
            sub.add_argument("--ours", default="", help="words that were added before")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except BootFault as fault:
        print(fault, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    text = options.old.read_bytes().decode("utf-8", "surrogateescape")
    remarks: list[str] = []
    if options.command == "config":
        new, remarks = add_lines(text, options.names)
    elif options.command == "unconfig":
        new = remove_lines(text)
    elif options.command == "cmdline":
        new, added, remarks = add_words(text, options.names, options.ours.split())
        print(*added)
    else:
        new = remove_words(text, options.names)
    options.new.write_bytes(new.encode("utf-8", "surrogateescape"))
    for remark in remarks:
        print(f"{options.old.name}: {remark}", file=sys.stderr)
    return CHANGED if options.command in ("config", "unconfig") and is_edited(text) else 0


if __name__ == "__main__":
    sys.exit(main())
