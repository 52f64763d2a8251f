"""Power budget and voltage drops of a board. Each line states its formula and source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pond_hw.board import Frame
from pond_hw.fabrication.circuit import FUSE_OPENING_FACTOR, LAMP_SUPPLY_NET
from pond_hw.fabrication.guide_pages import PAGE_SECTIONS, choose_lines, format_rows
from pond_hw.fabrication.netlist import Netlist, PinKind
from pond_hw.fabrication.part_catalogue import LAMP_VOLTS, MAX_LAMP_CURRENT_MA, MAX_RAIL_CURRENT_MA
from pond_hw.fabrication.wires import OHMS_PER_METRE, CutWire, fuse_current, lamp_strips
from pond_hw.lights import FRAME_SECONDS, render_scene
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.profile import pi_header, pico_header
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.rules import Position, find_outcome, legal_actions, parse_variant, play
from pond_hw.session import Session

CHIP_CURRENTS = {
    "hall": ("hall sensors", 2.7),
    "linear hall": ("hall sensors", 6.0),
    **{part_type: (chip.title, None) for part_type, chip in (EXPANDER_PARTS | CONVERTER_PARTS).items()},
}
"""Parts powered from the header's 3.3 V, with their typical current in mA (DRV5033 and DRV5055 data sheets)."""

TRACK_OHMS = 0.0172e-6 / (3e-3 * 35e-6)
"""Resistance in Ω/m of a strip's track, assuming copper 3 mm wide and 35 µm thick. Strips differ, and data sheets rarely
give these figures.
"""

MIN_LAMP_VOLTS = 4.5
"""Minimum supply voltage of the lamps; our choice. A WS2812B works from 3.5 V, but its blue fades below 4.5 V."""

PICTURE_SECONDS = 8.0
"""Seconds over which the lamp current is averaged: longer than any breathing or blinking cycle."""

TYPICAL_TURNS = 16
"""Number of turns played to reach the position for which the typical current is calculated."""


def format_power(profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire]) -> str:
    chain, has_lamps = profile.chain, netlist.has_type("trellis", "lamp")
    lamp_current, logic_current = chain.budget_ma if has_lamps else 0.0, 0.0
    words = {
        "profile": profile,
        "header": pi_header,
        "lamp": MAX_LAMP_CURRENT_MA,
        "lamps": lamp_current,
        "unlimited": chain.lamp_count * MAX_LAMP_CURRENT_MA,
        "turns": TYPICAL_TURNS,
        "half": pi_header.PI_CURRENT_MA / 2,
        "total": pi_header.PI_CURRENT_MA + lamp_current,
        "needed": lamp_current * 100 / pi_header.SUPPLY_LOAD_PERCENT,
        "rail": MAX_RAIL_CURRENT_MA,
        "pico": pico_header,
        "pico_half": pico_header.PICO_CURRENT_MA / 2,
        "pico_total": pico_header.PICO_CURRENT_MA + lamp_current,
    }
    rows = [PAGE_SECTIONS["lamp currents"].format(**words, typical=typical_lamp_current(profile))] if has_lamps else []
    for part_type, (consumer, typical_each) in CHIP_CURRENTS.items():
        if parts := list(netlist.parts_of_type(part_type)):
            fed_pins = [pin for part in parts for pin in part.pins.values() if pin.pin_kind is PinKind.FED]
            count, max_current = len(parts), sum(pin.max_current for pin in fed_pins)
            formula, source = f"{count} × {max_current / count:g}", "data sheet, maximum"
            if typical_each:
                formula, source = f"{count} × {typical_each:g}, {formula}", "data sheet, supply current"
            typical = count * typical_each if typical_each else max_current
            rows.append(format_rows([(consumer, f"{typical:.0f}", f"{max_current:.0f}", formula, source)]))
            logic_current += max_current
    rows.append(PAGE_SECTIONS[f"{profile.controller} current"].format(**words))
    words["logic"] = logic_current
    load = "trellis" if isinstance(profile.sensing.wiring, TrellisWiring) else "chips"
    on_pico = " on a pico" if profile.controller == "pico" and profile.supply.source == "own" else ""
    supplies = choose_lines(PAGE_SECTIONS[f"supplies: {profile.supply.source}{on_pico}"], {load})
    page = PAGE_SECTIONS["power"].format(name=profile.name, rows="\n".join(rows), supplies=supplies.format(**words))
    if netlist.has_type("lamp"):
        page += "\n\n" + _format_voltage_drops(profile, netlist, cut_wires)
    return page + "\n"


def typical_lamp_current(profile: Profile) -> float:
    """Return the lamps' typical mid-game current in mA, averaged over several seconds of frames."""
    chain, strip_length = profile.chain, len(profile.chain.strip_positions[0])
    key_count = len(chain.key_positions)
    position = Position.start(parse_variant({3: "3x3/9/5", 4: "standard", 5: "big"}[profile.size]))
    for turn in range(TYPICAL_TURNS):
        actions = legal_actions(position)
        if not actions or find_outcome(position):
            break
        position = play(position, actions[7 * turn % len(actions)]).after
    scene = replace(Session.start_game(position.variant, profile.size), custom_start=position).view.scene
    limiter, frame = (
        profile_limiter(profile),
        Frame.dark_frame(profile.size, chain.lamps_per_cell, strip_length, key_count),
    )
    total_current, frame_count = 0.0, round(PICTURE_SECONDS / FRAME_SECONDS)
    for frame_number in range(frame_count):
        picture = render_scene(scene, frame_number * FRAME_SECONDS, chain.lamps_per_cell, strip_length, key_count)
        frame = limiter.limit_frame(picture, frame)
        total_current += limiter.estimate_current(frame)
    undrawn_lamps = chain.lamp_count - len(chain.drawn_positions)
    return total_current / frame_count + undrawn_lamps * limiter.idle


def _format_voltage_drops(profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire]) -> str:
    """Format the voltage drop from the strip board to each piece of lamp strip, at the full current budget."""
    lamp_parts = {lamp.ref for lamp in netlist.parts_of_type("lamp")}
    feed_wires = [wire for wire in cut_wires if wire.net == LAMP_SUPPLY_NET and wire.end_pin.part in lamp_parts]
    lamp_budget, lamp_count = profile.chain.budget_ma, profile.chain.lamp_count
    strip_rows, lost, lamps_left, left_volts = [], 0.0, lamp_count, LAMP_VOLTS
    for strip_number, (wire, strip) in enumerate(zip(feed_wires, lamp_strips(profile, netlist), strict=True), 1):
        strip_current = lamp_budget * lamps_left / lamp_count
        in_wire = strip_current * wire.length / 1000 * OHMS_PER_METRE[wire.gauge] * 2
        strip_length = len(strip) * profile.body.pitch_mm / 1000 / profile.chain.lamps_per_cell**0.5
        in_strip = lamp_budget * len(strip) / lamp_count * strip_length * TRACK_OHMS
        lost += in_wire
        left_volts = LAMP_VOLTS - (lost + in_strip) / 1000
        drops = (f"{strip_current:.0f}", f"{in_wire:.1f}", f"{in_strip:.1f}", f"{left_volts:.2f}")
        strip_rows.append((strip_number, len(strip), f"{wire.length:g}", wire.gauge, *drops))
        lamps_left -= len(strip)
    section = choose_lines(PAGE_SECTIONS["voltage"], {"enough" if left_volts >= MIN_LAMP_VOLTS else "too-low"})
    return section.format(
        fuse=netlist.parts["F1"].value,
        excess=lamp_count * MAX_LAMP_CURRENT_MA / fuse_current(netlist),
        short=FUSE_OPENING_FACTOR * fuse_current(netlist) / 1000,
        budget=f"{lamp_budget:g}",
        track=f"{TRACK_OHMS:.3f}",
        rows=format_rows(strip_rows),
        volts=f"{left_volts:.2f}",
        least=f"{MIN_LAMP_VOLTS:g}",
    )
