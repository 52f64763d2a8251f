"""`pond boards`: list the boards that have a profile, or describe one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from pond_hw.commands.arguments import add_language_option, read_language
from pond_hw.drivers.debounce import choose_rest_seconds
from pond_hw.drivers.pi_machine import Machine, choose_driver, choose_encoding, find_machine_fault
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns, print_text
from pond_hw.profile import Profile, list_shipped, load_profile
from pond_hw.profile.board_profile import AnalogWiring, ExpanderWiring


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "a name from this list, or the path of your own .toml"
    parser.add_argument("board", metavar="PROFILE", nargs="?", help=help_text)
    add_language_option(parser, languages=BUILDER_LANGUAGES)


def run_command(options: Namespace) -> None:
    language = read_language(options)
    lines = describe_profile(options.board, language=language) if options.board else list_profiles(language)
    print_text("\n".join(lines))


def list_profiles(language: str = "en") -> list[str]:
    """Return the shipped profiles, one per line."""
    text = get_catalogue(language).text
    return align_columns([(name, text(_shipped_title(name))) for name in list_shipped()], "ll")


def _shipped_title(name: str) -> Message:
    return Message(f"boards.title.{name.replace('-', '_')}")


def describe_profile(board: str, host_machine: Machine | None = None, language: str = "en") -> list[str]:
    """Return lines that describe a profile and say whether this machine can run the board."""
    host_machine, text = host_machine or Machine(), get_catalogue(language).text
    profile = load_profile(board)
    driver = choose_driver(profile, host_machine)
    rows = {
        "cells": [*_describe_sensors(profile)],
        "lamps": [*_describe_lamps(profile)],
        "driver": [driver.message],
        "data": [choose_encoding(profile, host_machine).message] if driver.driver == "spi" else [],
        "key": _describe_gpio(profile, profile.undo_key_pin),
        "turn_keys": [*_describe_turn_keys(profile)],
        "buzzer": _describe_gpio(profile, profile.buzzer_pin),
        "measured": _describe_measured(profile),
        "warning": [profile.calibration_warning] if profile.calibration_warning else [],
        "here": [_describe_machine(profile, host_machine)],
    }
    texts_by_label = {
        text(Message(f"boards.label.{label}")): text(messages) for label, messages in rows.items() if messages
    }
    title = text(_shipped_title(board)) if board in list_shipped() else profile.title
    return [f"{profile.name}: {title}", *align_columns(texts_by_label.items(), "ll")]


def _describe_sensors(profile: Profile) -> Iterator[Message]:
    sensing = profile.sensing
    yield Message(f"boards.sensors.{sensing.kind}", size=profile.size)
    chip = sensing.wiring.chip.title if isinstance(sensing.wiring, ExpanderWiring | AnalogWiring) else ""
    wiring_kind = type(sensing.wiring).__name__.removesuffix("Wiring").lower()
    yield Message(f"boards.wiring.{wiring_kind}", **{"chip": chip} if chip else {})
    shortest_ms, longest_ms = min(sensing.debounce_by_cell.values()) * 1000, sensing.debounce_seconds * 1000
    debounce_times, pieces = [*sensing.debounce_by_cell.values()], sensing.kind == "hall"
    rest_rate = 1 / choose_rest_seconds(sensing.scan_rate, debounce_times, pieces=pieces)
    if profile.controller == "pico":
        yield Message("boards.debounce_pico", ms=longest_ms)
    elif shortest_ms == longest_ms:
        yield Message("boards.debounce", rate=rest_rate, ms=longest_ms)
    else:
        yield Message("boards.debounce_range", rate=rest_rate, shortest_ms=shortest_ms, longest_ms=longest_ms)
    if sensing.bad_cells:
        yield Message("boards.bad_sensors", cells=tuple(sorted(sensing.bad_cells)), count=len(sensing.bad_cells))


def _describe_lamps(profile: Profile) -> Iterator[Message]:
    chain, supply = profile.chain, profile.supply
    yield Message("boards.lamps", count=chain.lamp_count, lamps_per_cell=chain.lamps_per_cell)
    if strip := chain.strip_positions[0]:
        yield Message("boards.strips", count=len(strip))
    yield Message(f"boards.supply.{supply.source}", budget_ma=chain.budget_ma, current_ma=supply.current_ma)


def _describe_gpio(profile: Profile, gpio: int | None) -> list[Message]:
    if gpio is None:
        return []
    return [Message("boards.pico_gpio" if profile.controller == "pico" else "boards.gpio", gpio=gpio)]


def _describe_turn_keys(profile: Profile) -> Iterator[Message]:
    for side, gpio in profile.turn_key_pins.items():
        for pin in _describe_gpio(profile, gpio):
            yield pin if side is None else Message("boards.turn_key", side=str(side), pin=pin)


def _describe_measured(profile: Profile) -> list[Message]:
    keys = tuple(profile.measured_keys)
    return [Message("boards.measured", keys=keys, count=len(keys))] if keys else []


def _describe_machine(profile: Profile, host_machine: Machine) -> Message:
    missing_part = find_machine_fault(profile, host_machine)
    return missing_part.message if missing_part else Message("boards.nothing_missing")
