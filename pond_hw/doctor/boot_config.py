"""Parser for the Pi's config.txt, and commands that change the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pond_hw.doctor.host_system import HostSystem

CONFIG_PATHS = ("boot/firmware/config.txt", "boot/config.txt")
"""Paths of the file: since Bookworm, and before."""

FILTERS_BY_MODEL: tuple[tuple[str, frozenset[str]], ...] = (
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
"""Prefixes of model names, and the config.txt filters that match those models. The first matching prefix counts."""

PARAM_ALIASES = {
    **dict.fromkeys(("i2c", "i2c1"), "i2c_arm"),
    **dict.fromkeys(("i2c_baudrate", "i2c1_baudrate"), "i2c_arm_baudrate"),
}
"""Alternative names of parameters for the I2C bus on GPIO 2 and 3."""

OFF_VALUES = {"off", "false", "no", "0"}
"""Values that disable a parameter."""


class ConfigOverlay(NamedTuple):
    """Overlay with its parameters and its line in the file."""

    name: str
    params: Mapping[str, str]
    source_line: str


class BootConfig(NamedTuple):
    """Settings in config.txt that apply to this model. If there is no such file, the path is empty.

    Attributes:
        plain_settings: settings such as `core_freq`. If one is repeated, the last line counts.
        board_params: parameters of the base device tree, such as `spi`.
    """

    file_path: str = ""
    plain_settings: Mapping[str, str] = {}
    board_params: Mapping[str, str] = {}
    overlays: tuple[ConfigOverlay, ...] = ()

    def is_on(self, param: str) -> bool:
        return param in self.board_params and self.board_params[param].lower() not in OFF_VALUES

    def has_overlay(self, overlay: str) -> bool:
        return any(known_overlay.name == overlay for known_overlay in self.overlays)

    def add_line_command(self, line: str) -> str:
        """Return the command that adds a line for all models."""
        return f"sudo sed -i '$a[all]\\n{line}' {self.file_path or '/' + CONFIG_PATHS[0]}"

    def comment_line_command(self, line: str) -> str:
        return self.replace_line_command(line, "#&")

    def replace_line_command(self, line: str, new_line: str) -> str:
        sed_pattern = re.sub(r"[][.*^$/\\]", r"\\\g<0>", line).replace(
            "'", "."
        )  # A quote in the line would end the quoted shell argument.
        return f"sudo sed -i 's/^{sed_pattern}$/{new_line}/' {self.file_path}"


def passed_filters(model: str) -> frozenset[str]:
    """Return the config.txt filters that match a model."""
    return next((passed for begins, passed in FILTERS_BY_MODEL if model.startswith(begins)), frozenset())


def load_boot_config(host: HostSystem) -> BootConfig:
    """Load the config.txt of a machine. If there is none, return a `BootConfig` with an empty path."""
    for file_path in CONFIG_PATHS:
        if host.file_path(file_path).is_file():
            return parse_boot_config(
                host.read_text(file_path), passed_filters(host.machine.model_name), f"/{file_path}"
            )
    return BootConfig()


def parse_boot_config(text: str, passed: frozenset[str], file_path: str) -> BootConfig:
    """Parse a config.txt. `passed` contains the filters that match this model.

    Sections for a particular display, GPIO or serial number are ignored. A parameter that follows an overlay belongs to that
    overlay if it has a parameter of that name. Among the parameters used here, this only affects `audio`.
    """
    values: dict[str, str] = {}
    params: dict[str, str] = {}
    overlays: list[ConfigOverlay] = []
    current_overlay = ""
    for line in _applicable_lines(text, passed):
        key, _, value = line.partition("=")
        if key in ("dtoverlay", "device_tree_overlay"):
            current_overlay, *overlay_params = value.split(",")
            if current_overlay:
                overlays.append(ConfigOverlay(current_overlay, dict(map(_parse_param, overlay_params)), line))
        elif key in ("dtparam", "device_tree_param"):
            for name, param_value in map(_parse_param, value.split(",")):
                if not (current_overlay and name == "audio"):
                    params[PARAM_ALIASES.get(name, name)] = param_value
        else:
            values[key] = value
    return BootConfig(file_path, values, params, tuple(overlays))


def _applicable_lines(file_text: str, passed: frozenset[str]) -> Iterator[str]:
    """Yield the lines with settings that apply to a model that matches these filters."""
    known_filters = frozenset().union(*(filters for _, filters in FILTERS_BY_MODEL))
    is_passed, is_ignored = True, False
    for line in map(str.strip, file_text.split("\n")):
        if re.fullmatch(r"\[.*\]", line):
            name = line[1:-1].lower()
            if name == "all":
                is_passed, is_ignored = True, False
            elif name in known_filters:
                is_passed = name in passed
            else:
                is_ignored = True
        elif is_passed and not is_ignored and "=" in line and not line.startswith("#"):
            yield line


def _parse_param(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip() or "on"
