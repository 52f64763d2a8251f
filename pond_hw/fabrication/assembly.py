"""Step by step from a bag of parts to a proven board, with a check after each step; the words are in assembly.txt."""

from __future__ import annotations

from collections.abc import Iterator

from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.page_texts import NOT_BUILT, PAGE_SECTIONS, fill_lines, read_sections
from pond_hw.fabrication.wires import lamp_strips
from pond_hw.profile.board_profile import (
    AnalogWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)


def format_assembly(profile: Profile, netlist: Netlist) -> str:
    """The guide of a board, as Markdown."""
    drawn_by_name = {
        "`cell.svg`": not isinstance(profile.sensing.wiring, SimulatedWiring),
        "`feed.svg`": netlist.has_type("lamp"),
    }
    drawing_names = ", ".join(name for name, is_drawn in drawn_by_name.items() if is_drawn)
    board_words = {"name": profile.name, "title": profile.title, "not_built": NOT_BUILT, "drawings": drawing_names}
    page_parts = [PAGE_SECTIONS["assembly"].format(**board_words)]
    steps = {heading.partition(": ")[0]: (heading, step) for heading, step in read_sections("assembly.txt").items()}
    board_words = _sensor_words(profile) | _lamp_words(profile, netlist) | _control_words(profile)
    for step_number, name in enumerate(_needed_steps(profile, netlist), 1):
        heading, step = steps[name]
        page_parts.append(f"## {step_number}. {heading.partition(': ')[2]}\n\n{step.format(**board_words)}")
    return "\n\n".join(fill_lines(paragraph) for page in page_parts for paragraph in page.split("\n\n")) + "\n\n"


def _needed_steps(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """The names of the steps, in the order in which one can be checked after the other."""
    sensor_wiring, has_lamps = profile.sensing.wiring, netlist.has_type("lamp")
    is_trellis, is_matrix = isinstance(sensor_wiring, TrellisWiring), isinstance(sensor_wiring, MatrixWiring)
    needed_by_step = {
        "pi": True,
        "trellis": is_trellis,
        "print": not is_trellis,
        "pieces": profile.sensing.kind == "hall",
        "strips": has_lamps,
        "strip board": has_lamps,
        "lamps": has_lamps,
        "expanders": isinstance(sensor_wiring, ExpanderWiring),
        "converters": isinstance(sensor_wiring, AnalogWiring),
        "halls": netlist.has_type("hall", "linear hall"),
        "matrix": is_matrix,
        "buttons": netlist.has_type("button") and not is_matrix,
        "beside": profile.key_pin is not None or profile.buzzer_pin is not None,
        "map": True,
        "sensors": True,
        "close": not is_trellis,
    }
    return (step_name for step_name, is_needed in needed_by_step.items() if is_needed)


def _sensor_words(profile: Profile) -> dict[str, str]:
    """What stands in the place of `{word}` in the steps: of the board and its sensors."""
    has_halls, sensor_wiring = profile.sensing.kind == "hall", profile.sensing.wiring
    is_linear = isinstance(sensor_wiring, AnalogWiring)
    magnet_diameter, magnet_height = profile.body.magnet_size_mm
    exchanged_text = "two wires that were exchanged it names"
    if isinstance(sensor_wiring, MatrixWiring):
        exchanged_text = "two lines that were exchanged it names, and two cells too"
    return {
        "board": profile.name,
        "tiles": "each tile lies in its opening" if has_halls else "each cap goes down and comes up by itself",
        "layers": "tiles into the lid" if has_halls else "caps onto the switches",
        "magnet": f"{magnet_diameter:g} × {magnet_height:g}",
        "poles": ", and dark's pieces the other way than light's: set-up says which is which" if is_linear else "",
        "with_piece": ", or put a piece there" if has_halls else "",
        "calibrate": "`--step calibrate` measures rest and both poles. " if is_linear else "",
        "exchanged": exchanged_text,
    }


def _lamp_words(profile: Profile, netlist: Netlist) -> dict[str, str]:
    """Of the lamps and the strip board."""
    strips = lamp_strips(profile, netlist)
    strip_lengths = set(map(len, strips))
    rail_pins = netlist.parts["B1"].pins.values() if "B1" in netlist.parts else ()
    return {
        "count": str(len(strips)),
        "lengths": f"{strip_lengths.pop()} lamps each" if len(strip_lengths) == 1 else "as lamps run in `wiring.md`",
        "first": (strips[0][0].cell or "a score strip") if strips else "",
        "rails": ", ".join(pin.name for pin in rail_pins),
        "chips": ", ".join(part.ref for part in netlist.parts_of_type("shifter", "expander", "converter")),
        "supply": PAGE_SECTIONS[f"supply: {profile.supply.source}"],
        "addresses": " and ".join(part.note for part in netlist.parts_of_type("expander", "trellis")),
    }


def _control_words(profile: Profile) -> dict[str, str]:
    """Of key and buzzer."""
    control_places, check_texts = [], []
    in_case = not isinstance(profile.sensing.wiring, TrellisWiring)
    if profile.key_pin is not None:
        control_places.append("the key into the front wall" if in_case else "the key")
        check_texts.append(f"`pond serve --board {profile.name}`: held down, the key opens the menu.")
    if profile.buzzer_pin is not None:
        control_places += ["the buzzer behind its seven holes there"] if in_case else []
        check_texts.append("Play a turn: the buzzer says that it counts.")
    return {"beside": " and ".join(control_places), "check": " ".join(check_texts)}
