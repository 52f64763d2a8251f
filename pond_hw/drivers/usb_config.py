"""Configuration of a Pico, derived from the profile in wire order.

The board numbers its inputs along its wires, and only the host knows the cells. So a board whose cells are
swapped, in the profile or by set-up, needs no new configuration.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import DirectWiring, ExpanderWiring, MatrixWiring, Profile, SensorWiring
from pond_hw.profile.pico_header import I2C_GPIOS, PICO_CURRENT_MA
from pond_hw.rules import get_grid

PROTOCOL = "3"
"""Version of the protocol between host and board, described in firmware/pico/pond_board.py."""


MAX_KEY_HOLD_MS = 20
"""Longest hold time of a key in ms, as on a board without a Pico."""


class BoardConfig(NamedTuple):
    """Required configuration of a board.

    Attributes:
        text: configuration as JSON on one line.
        cell_inputs: input number of each cell, in the order a1, b1, ...
        key_inputs: input number of each key beside the cells, by its name in `Profile.key_pins`.
        lamp_count: number of lamps in the chain.
    """

    profile_name: str
    text: bytes
    cell_inputs: tuple[int, ...]
    key_inputs: Mapping[str, int]
    lamp_count: int

    @property
    def fingerprint(self) -> str:
        return f"{zlib.crc32(self.text):08x}"

    def describe_mismatch(self, device: str, protocol: str, fingerprint: str) -> Message | None:
        """Return the reason why a board with this protocol and fingerprint is unsuitable, and the remedy.

        None if it is suitable.
        """
        if protocol != PROTOCOL:
            return Message("usb.other_protocol", device=device, found=protocol, known=PROTOCOL)
        if fingerprint == self.fingerprint:
            return None
        sort = "no_config" if fingerprint == "00000000" else "other_config"
        return Message(f"usb.{sort}", device=device, board=self.profile_name)


def make_board_config(profile: Profile) -> BoardConfig:
    """Return the configuration of a Pico profile. The board declares `usb_ma` to the computer as its maximum current."""
    sensing, chain = profile.sensing, profile.chain
    wires = _number_wires(sensing.wiring)
    in_order = sorted(range(len(wires)), key=wires.__getitem__)
    holds = [
        round(sensing.debounce_by_cell.get(cell, sensing.debounce_seconds) * 1000)
        for cell in get_grid(profile.size).cells
    ]
    config: dict[str, object] = {
        "read": "gpio",
        "wires": [wires[number][-1] for number in in_order],
        "hold_ms": [holds[number] for number in in_order] + [min(MAX_KEY_HOLD_MS, max(holds))] * len(profile.key_pins),
        "keys": list(profile.key_pins.values()),
        "data": chain.data_pin,
        "lamps": chain.lamp_count,
        "budget_ma": int(chain.budget_ma),
        "usb_ma": int(PICO_CURRENT_MA + (chain.budget_ma if profile.supply.source == "usb" else 0)),
    }
    if isinstance(sensing.wiring, MatrixWiring | ExpanderWiring):
        config["read"] = "matrix" if isinstance(sensing.wiring, MatrixWiring) else sensing.wiring.chip.name
        config["wires"] = [wires[number] for number in in_order]
    if isinstance(sensing.wiring, ExpanderWiring):
        config["sda"], config["scl"] = I2C_GPIOS
    inputs = {cell_number: number for number, cell_number in enumerate(in_order)}
    return BoardConfig(
        profile.name,
        json.dumps(config, separators=(",", ":"), sort_keys=True).encode(),
        tuple(inputs[cell_number] for cell_number in range(len(wires))),
        {name: number for number, name in enumerate(profile.key_pins, len(wires))},
        chain.lamp_count,
    )


def _number_wires(wiring: SensorWiring) -> list[tuple[int, ...]]:
    """Return the numbers that identify each cell's wire.

    These are its GPIO, the drive and sense GPIOs of its crossing, or the address and pin number of its expander.
    """
    match wiring:
        case DirectWiring(pins):
            return [(gpio,) for gpio in pins.values()]
        case MatrixWiring(crossings):
            return [tuple(crossing) for crossing in crossings.values()]
        case ExpanderWiring(chip=chip, pins=pins) if chip.on_pico:
            return [(pin.address, chip.find_number(pin)) for pin in pins.values()]
    raise ValueError(f"A Pico cannot read {wiring!r}.")
