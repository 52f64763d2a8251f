"""The Pi's config.txt, read the way its firmware does, for one model; and the lines that change it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pond_hw.doctor.surroundings import Surroundings

PLACES = ("boot/firmware/config.txt", "boot/config.txt")
"""Bookworm and newer; before."""

MODELS: tuple[tuple[str, frozenset[str]], ...] = (
    ("Raspberry Pi Compute Module 5", frozenset({"pi5", "cm5"})),
    ("Raspberry Pi Compute Module 4S", frozenset({"pi4", "cm4s"})),
    ("Raspberry Pi Compute Module 4", frozenset({"pi4", "cm4"})),
    ("Raspberry Pi Compute Module 3", frozenset({"pi3"})),
    ("Raspberry Pi Compute Module", frozenset({"pi1"})),
    ("Raspberry Pi Zero 2", frozenset({"pi0", "pi0w", "pi02"})),
    ("Raspberry Pi Zero W", frozenset({"pi0", "pi0w"})),
    ("Raspberry Pi Zero", frozenset({"pi0"})),
    ("Raspberry Pi 500", frozenset({"pi5", "pi500"})),
    ("Raspberry Pi 5", frozenset({"pi5"})),
    ("Raspberry Pi 400", frozenset({"pi4", "pi400"})),
    ("Raspberry Pi 4", frozenset({"pi4"})),
    ("Raspberry Pi 3 Model A Plus", frozenset({"pi3", "pi3+"})),
    ("Raspberry Pi 3 Model B Plus", frozenset({"pi3", "pi3+"})),
    ("Raspberry Pi 3", frozenset({"pi3"})),
    ("Raspberry Pi 2", frozenset({"pi2"})),
    ("Raspberry Pi", frozenset({"pi1"})),
)
"""What a machine's model begins with, and which filters of config.txt it passes: the first that fits."""

ALIASES = {"i2c": "i2c_arm", "i2c1": "i2c_arm", "i2c_baudrate": "i2c_arm_baudrate", "i2c1_baudrate": "i2c_arm_baudrate"}
"""The firmware's other names for the bus on GPIO 2 and 3."""

OFF = {"off", "false", "no", "0"}
"""What switches a parameter off."""


class Overlay(NamedTuple):
    """An overlay: its name, its parameters, and its line."""

    name: str
    params: Mapping[str, str]
    line: str


class Config(NamedTuple):
    """What counts of a config.txt on this model.

    Attributes:
        place: where it is, such as `/boot/firmware/config.txt`; empty if there is none.
        values: plain settings, such as `core_freq`; the last line counts.
        params: parameters of the board itself, such as `spi`.
        overlays: in the order in which they stand.
    """

    place: str = ""
    values: Mapping[str, str] = {}
    params: Mapping[str, str] = {}
    overlays: tuple[Overlay, ...] = ()

    def on(self, param: str) -> bool:
        """Whether a parameter is switched on."""
        return param in self.params and self.params[param].lower() not in OFF

    def has(self, overlay: str) -> bool:
        """Whether there is such an overlay."""
        return any(each.name == overlay for each in self.overlays)

    def adding(self, line: str) -> str:
        """The command that adds a line for every model."""
        return f"sudo sed -i '$a[all]\\n{line}' {self.place or '/' + PLACES[0]}"

    def without(self, line: str) -> str:
        """The command that makes a comment of a line."""
        return f"sudo sed -i 's/^{_literally(line)}$/#&/' {self.place}"

    def changing(self, line: str, to: str) -> str:
        """The command that puts a line in place of another."""
        return f"sudo sed -i 's/^{_literally(line)}$/{to}/' {self.place}"


def _literally(line: str) -> str:
    """A line as sed looks for it, between quotes that nothing in it may end."""
    return re.sub(r"[][.*^$/\\]", r"\\\g<0>", line).replace("'", ".")


def filters(model: str) -> frozenset[str]:
    """The filters of config.txt that a model passes."""
    return next((passed for begins, passed in MODELS if model.startswith(begins)), frozenset())


def config_of(around: Surroundings) -> Config:
    """The config.txt of a machine; one without a place if there is none."""
    for place in PLACES:
        if around.path(place).is_file():
            return read(around.text(place), filters(around.machine.model), f"/{place}")
    return Config()


def read(text: str, passed: frozenset[str], place: str) -> Config:
    """Read a config.txt.

    What only counts with a certain screen, GPIO or board is left out. A parameter after an overlay is that overlay's
    if the overlay has one of that name; of those that interest us only `audio` is such a name.

    Args:
        text: what it says.
        passed: the filters that this model passes.
        place: where it is.
    """
    values: dict[str, str] = {}
    params: dict[str, str] = {}
    overlays: list[Overlay] = []
    known = frozenset().union(*(each for _, each in MODELS))
    model, strange, after = True, False, ""
    for line in map(str.strip, text.split("\n")):
        if re.fullmatch(r"\[.*\]", line):
            name = line[1:-1].lower()
            if name == "all":
                model, strange = True, False
            elif name in known:
                model = name in passed
            else:
                strange = True
            continue
        key, equals, value = line.partition("=")
        if line.startswith("#") or not equals or strange or not model:
            continue
        if key in ("dtoverlay", "device_tree_overlay"):
            after, *rest = value.split(",")
            if after:
                overlays.append(Overlay(after, dict(map(_param, rest)), line))
        elif key in ("dtparam", "device_tree_param"):
            for name, to in map(_param, value.split(",")):
                if not (after and name == "audio"):
                    params[ALIASES.get(name, name)] = to
        else:
            values[key] = value
    return Config(place, values, params, tuple(overlays))


def _param(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip() or "on"
