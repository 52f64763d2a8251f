"""Checks for the first builder of a board: claims that no machine could test, in the order in which to check them.

`CHECKS` is the only list. docs/first-board.md is generated from it, and `pond report --first-board` prints it as a form
for one board, with the facts that this machine already knows.

Each check has five messages, `first_board.NAME.` and one of: `claim`, a heading; `how`, the instructions; `see`, the result if
the claim is true; `measure`, values to write down, separated by semicolons; `refutes`, the conclusion if the claim is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pond_hw import __version__
from pond_hw.doctor import HostSystem, run_checks
from pond_hw.doctor.check_results import CheckResult
from pond_hw.doctor.redact import redact_text
from pond_hw.doctor.service_checks import find_service, locate_profile
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.terminal_output import wrap_around
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.pi_header import SPI0
from pond_hw.profile.row_boards import find_mismatch

FORM_COLUMNS = 100
"""Width of the form in columns."""

_CODE = re.compile("`[^`]*`")

BLANK = "_" * 20

TICKS = ("confirmed", "refuted", "skipped")
"""Boxes to tick at each check."""


class FirstCheck(NamedTuple):
    """A claim about real hardware.

    Attributes:
        section: name of the section, as in `first_board.section.NAME`.
        name: name in the ids of its messages.
        source: page that makes the claim, relative to the project's folder.
        fits: predicate that is true for profiles of boards that the claim is about.
        subjects: subjects of the doctor's results that belong to it.
        step: set-up step whose saved result belongs to it.
    """

    section: str
    name: str
    source: str
    fits: Callable[[Profile], bool]
    subjects: tuple[str, ...] = ()
    step: str = ""

    def message(self, part: str, board: str, budget: str, dark: str) -> Message:
        """Return one of its messages: `claim`, `how`, `see`, `measure` or `refutes`.

        Args:
            part: name of the message.
            board: name of the board, for commands.
            budget: maximum current of the lamps.
            dark: current of all lamps while they are dark.
        """
        return Message(f"first_board.{self.name}.{part}", board=board, budget=budget, dark=dark)


def _is_real(profile: Profile) -> bool:
    return _has_sensors(profile) or _has_lamps(profile)


def _has_pi(profile: Profile) -> bool:
    return profile.controller == "pi" and _is_real(profile)


def _has_pico(profile: Profile) -> bool:
    return profile.controller == "pico"


def _has_sensors(profile: Profile) -> bool:
    return not isinstance(profile.sensing.wiring, SimulatedWiring)


def _has_raw_switches(profile: Profile) -> bool:
    """Return True if set-up can measure how long the switches bounce."""
    is_switched = isinstance(profile.sensing.wiring, DirectWiring | MatrixWiring | ExpanderWiring)
    return is_switched and profile.sensing.kind == "button" and profile.controller == "pi"


def _has_lamps(profile: Profile) -> bool:
    return profile.chain.driver != "simulated"


def _has_chain(profile: Profile) -> bool:
    return profile.chain.data_pin is not None


def _uses_spi(profile: Profile) -> bool:
    return _has_pi(profile) and profile.chain.data_pin == SPI0.mosi and profile.chain.driver in ("auto", "spi")


def _uses_pwm(profile: Profile) -> bool:
    return _has_pi(profile) and _has_chain(profile) and not _uses_spi(profile)


def _has_row_boards(profile: Profile) -> bool:
    return find_mismatch(profile) is None


def _has_own_supply(profile: Profile) -> bool:
    return profile.supply.source == "own" and _has_chain(profile)


def _has_cut_off(profile: Profile) -> bool:
    return _has_own_supply(profile) and _has_row_boards(profile)


def _has_printed_parts(profile: Profile) -> bool:
    return _has_row_boards(profile) or _has_trellis(profile)


def _has_trellis(profile: Profile) -> bool:
    return isinstance(profile.sensing.wiring, TrellisWiring)


def _has_buttons(profile: Profile) -> bool:
    return _has_sensors(profile) and profile.sensing.kind == "button"


def _has_pieces(profile: Profile) -> bool:
    return _has_sensors(profile) and profile.sensing.kind == "hall"


def _has_direct_buttons(profile: Profile) -> bool:
    return _has_buttons(profile) and _has_row_boards(profile) and isinstance(profile.sensing.wiring, DirectWiring)


def _has_matrix(profile: Profile) -> bool:
    return isinstance(profile.sensing.wiring, MatrixWiring)


def _is_linear(profile: Profile) -> bool:
    return isinstance(profile.sensing.wiring, AnalogWiring)


def _is_digital(profile: Profile) -> bool:
    return _has_pieces(profile) and not _is_linear(profile)


def _has_sensor_chips(profile: Profile) -> bool:
    return isinstance(profile.sensing.wiring, AnalogWiring | ExpanderWiring)


def _has_expander(name: str) -> Callable[[Profile], bool]:
    def fits(profile: Profile) -> bool:
        wiring = profile.sensing.wiring
        return isinstance(wiring, ExpanderWiring) and wiring.chip.name == name

    return fits


PI_PAGE, PICO_PAGE = "firmware/raspberry-pi/README.md", "firmware/pico/README.md"
BUILD_PAGE, ROWS_PAGE, POWER_PAGE = "hardware/README.md", "hardware/row-boards/README.md", "hardware/hall-4x4/power.md"
PULSES, ENCODINGS = (
    "docs/decisions/0006-eleven-spi-bits-per-lamp-bit.md",
    "docs/decisions/0030-one-byte-per-lamp-bit.md",
)
POLLING, SETUP_STEPS = "docs/decisions/0007-polled-sensors.md", "docs/decisions/0010-set-up-conversations.md"
KERNEL_PAGE = "tests/kernel/README.md"

CHECKS = (
    FirstCheck("computer", "card", PI_PAGE, _has_pi, ("machine", "system", "service")),
    FirstCheck("computer", "first_boot", PI_PAGE, _has_pi),
    FirstCheck("computer", "pico_firmware", PICO_PAGE, _has_pico, ("usb",)),
    FirstCheck("computer", "doctor", "docs/doctor.md", _is_real),
    FirstCheck("computer", "core_clock", PULSES, _uses_spi, ("boot", "spi", "lamps")),
    FirstCheck("printed", "prints_fit", BUILD_PAGE, _has_printed_parts),
    FirstCheck("printed", "piece", BUILD_PAGE, _has_pieces),
    FirstCheck("circuits", "order", ROWS_PAGE, _has_row_boards),
    FirstCheck("circuits", "row_board", ROWS_PAGE, _has_row_boards),
    FirstCheck("circuits", "carrier", "docs/decisions/0032-carrier-boards.md", _has_row_boards),
    FirstCheck("power", "supply", "docs/decisions/0050-supply-cut-off.md", _has_own_supply),
    FirstCheck("power", "cut_off", "docs/decisions/0050-supply-cut-off.md", _has_cut_off),
    FirstCheck("power", "dark_current", POWER_PAGE, _has_row_boards),
    FirstCheck("lamps", "lamp_order", ROWS_PAGE, _has_lamps, step="map"),
    FirstCheck("lamps", "level_shifter", BUILD_PAGE, _has_chain),
    FirstCheck("lamps", "pulses", PULSES, _has_chain),
    FirstCheck("lamps", "encoding", ENCODINGS, _uses_spi, ("spi", "lamps"), "signal"),
    FirstCheck("lamps", "pwm_lamps", PI_PAGE, _uses_pwm, ("lamps",)),
    FirstCheck("lamps", "neotrellis", KERNEL_PAGE, _has_trellis, ("i2c",)),
    FirstCheck("lamps", "budget", "docs/lights.md", _has_row_boards, step="bright"),
    FirstCheck("lamps", "usb_current", "docs/usb.md", _has_pico),
    FirstCheck("lamps", "last_lamp", POWER_PAGE, _has_row_boards),
    FirstCheck("sensors", "rest_values", "docs/decisions/0046-plain-pieces.md", _is_linear, step="calibrate"),
    FirstCheck("sensors", "mcp23017", POLLING, _has_expander("mcp23017"), ("i2c",)),
    FirstCheck("sensors", "pcf8575", "docs/decisions/0043-pcf8575-canary-pins.md", _has_expander("pcf8575"), ("i2c",)),
    FirstCheck("sensors", "chip_supply", POLLING, _has_sensor_chips),
    FirstCheck("sensors", "wiring", "docs/decisions/0020-wiring-inference.md", _has_sensors, step="map"),
    FirstCheck("sensors", "sensors", SETUP_STEPS, _has_sensors, step="sensors"),
    FirstCheck("sensors", "switch_voltage", "docs/decisions/0048-row-boards.md", _has_direct_buttons),
    FirstCheck("sensors", "matrix", "docs/profile.md", _has_matrix),
    FirstCheck("sensors", "bounce", SETUP_STEPS, _has_raw_switches, step="timing"),
    FirstCheck("sensors", "digital_magnets", BUILD_PAGE, _is_digital),
    FirstCheck("sensors", "linear_magnets", BUILD_PAGE, _is_linear, step="calibrate"),
    FirstCheck("sensors", "neighbours", BUILD_PAGE, _has_pieces),
    FirstCheck("controls", "turn_keys", "docs/pieces.md", lambda profile: bool(profile.turn_key_pins), step="keys"),
    FirstCheck("controls", "undo_key", "docs/buttons.md", lambda profile: profile.undo_key_pin is not None),
    FirstCheck("controls", "strips", "docs/profile.md", lambda profile: any(profile.chain.strip_positions)),
    FirstCheck("controls", "buzzer", "docs/profile.md", lambda profile: profile.buzzer_pin is not None),
    FirstCheck("game", "button_game", POLLING, _has_buttons),
    FirstCheck("game", "piece_game", "docs/pieces.md", _has_pieces),
    FirstCheck("game", "look", "docs/lights.md", _has_lamps),
    FirstCheck("game", "light_tight", BUILD_PAGE, _has_row_boards),
    FirstCheck("game", "steady", "docs/decisions/0041-redraw-on-change.md", _has_lamps),
    FirstCheck("game", "warmth", BUILD_PAGE, _is_real, ("power",)),
    FirstCheck("game", "load", "docs/decisions/0039-adaptive-sensor-polling.md", _has_pi),
    FirstCheck("game", "power_cut", "docs/decisions/0011-sqlite-journal.md", _has_pi, ("storage",)),
    FirstCheck("game", "unplug", "docs/usb.md", _has_pico),
    FirstCheck("game", "no_screen", "docs/set-up.md", _has_sensors),
    FirstCheck("game", "week", PI_PAGE, _has_pi, ("service",)),
    FirstCheck("phone", "phone_page", "docs/phone-page.md", _is_real),
    FirstCheck("phone", "hotspot", "docs/phone-page.md", _has_pi),
)
"""All checks in order. Those of a section follow each other."""


def numbered_sections() -> Iterator[tuple[str, list[tuple[str, FirstCheck]]]]:
    """Yield each section's name and its checks with their numbers, such as `2.1`."""
    for number, (section, checks) in enumerate(groupby(CHECKS, lambda check: check.section), start=1):
        yield section, [(f"{number}.{index}", check) for index, check in enumerate(checks, start=1)]


def format_first_board(
    board: str | None,
    host: HostSystem,
    describe_steps: Callable[[str], Mapping[str, Sequence[Message]]] = lambda _: {},
    language: str = "en",
) -> str:
    """Return a form in Markdown for the first builder of a board, without personal data of this machine.

    Args:
        board: name or path of the profile; None for the board of the service.
        host: the machine.
        describe_steps: function that returns a board's set-up results by step.
        language: language of the form.

    Raises:
        PondError: if no board is named, or it is simulated.
        ProfileError: if the profile doesn't exist or has faults.
    """
    served = find_service(host)
    wanted_board = board or (served.board if served else "")
    if not wanted_board:
        raise PondError(Message("first_board.no_board"))
    profile = load_profile(locate_profile(board, wanted_board, host))
    if not _is_real(profile):
        raise PondError(Message("first_board.simulated", board=profile.name))
    form = _Form(profile, host, describe_steps(wanted_board), run_checks(board, host).check_results, language)
    return "\n".join(form.lines())


class _Form:
    def __init__(
        self,
        profile: Profile,
        host: HostSystem,
        step_results: Mapping[str, Sequence[Message]],
        check_results: Sequence[CheckResult],
        language: str,
    ) -> None:
        self.profile, self.host = profile, host
        self.step_results, self.check_results = step_results, check_results
        self.text = get_catalogue(language).text
        self.board = self.redact(profile.name)

    def redact(self, text: str) -> str:
        return redact_text(text, self.host.private_names)

    def label(self, name: str) -> str:
        return self.text(Message(f"first_board.label.{name}"))

    def lines(self) -> Iterator[str]:
        yield f"# {self.text(Message('first_board.title', board=self.board))}"
        yield from ("", *wrap_markdown(self.text(Message("first_board.introduction"))))
        yield from ("", f"## {self.text(Message('first_board.known'))}", "", *self.known_facts(), "")
        for section, checks in numbered_sections():
            yield from (f"## {self.text(Message(f'first_board.section.{section}'))}", "")
            for number, check in checks:
                yield from (*self.check_lines(number, check), "")

    def known_facts(self) -> Iterator[str]:
        """Yield the facts about machine and board, as list items. The doctor's results come with personal data removed."""
        yield f"- Pond {__version__}"
        if kernel := (self.host.run_command(["uname", "-r"]) or "").strip():
            yield f"- uname -r: {self.redact(kernel)}"
        yield from map(self.result_line, self.check_results)
        for key, known_value in list_profile_values(self.profile).items():
            yield f"- {key} = {known_value}"

    def result_line(self, check_result: CheckResult) -> str:
        subject = self.text(Message(f"doctor.subject.{check_result.subject}"))
        mark = self.text(Message(f"doctor.mark.{check_result.grade}"))
        return f"- {mark} {subject}: {self.text(check_result.messages)}"

    def check_lines(self, number: str, check: FirstCheck) -> Iterator[str]:
        chain = self.profile.chain
        parts = {
            part: self.text(check.message(part, self.board, f"{chain.budget_ma:g} mA", f"{chain.lamp_count} mA"))
            for part in ("claim", "how", "see", "measure", "refutes")
        }
        yield f"### {number} {parts['claim']}"
        yield ""
        if not check.fits(self.profile):
            yield self.text(Message("first_board.does_not_apply", board=self.board))
            return
        for part in ("how", "see", "refutes"):
            yield from wrap_markdown(f"**{self.label(part)}:** {parts[part]}", item=True)
        yield f"- **{self.label('source')}:** {check.source}"
        reports = [each for each in self.check_results if each.subject in check.subjects]
        known = [*map(self.result_line, reports), *self.step_lines(check.step)]
        if known:
            yield f"- **{self.label('machine')}:**"
            yield from (f"  {line}" for line in known)
        yield ""
        yield from (f"- [ ] {self.text(Message(f'first_board.tick.{tick}'))}" for tick in TICKS)
        yield ""
        yield from (f"- {value}: {BLANK}" for value in parts["measure"].split("; "))
        yield f"- {self.label('notes')}: {BLANK}"

    def step_lines(self, step: str) -> Iterator[str]:
        return (f"- {self.redact(self.text(message)).strip()}" for message in self.step_results.get(step, ()))


def wrap_markdown(line: str, *, item: bool = False, columns: int = FORM_COLUMNS) -> list[str]:
    """Wrap a paragraph or a list item, but never inside a command in backquotes."""
    return wrap_around(_CODE, line, columns, *(("- ", "  ") if item else ()))


def list_profile_values(profile: Profile) -> dict[str, object]:
    """Return the values of a profile that matter for the checks, by key. Values that set-up has measured are among them."""
    chain, sensing, supply = profile.chain, profile.sensing, profile.supply
    values: dict[str, object] = {
        "controller": profile.controller,
        "sensors.kind": sensing.kind,
        "sensors.debounce_ms": f"{1000 * sensing.debounce_seconds:g}",
        "lamps.driver": chain.driver,
        "lamps.pin": chain.data_pin,
        "lamps.count": chain.lamp_count,
        "lamps.colours": chain.colour_order,
        "lamps.encoding": chain.encoding,
        "lamps.brightness": f"{chain.brightness:g}",
        "lamps.budget_ma": f"{chain.budget_ma:g}",
        "supply.source": supply.source,
        "supply.current_ma": f"{supply.current_ma:g}",
    }
    if isinstance(sensing.wiring, AnalogWiring):
        rest_values = sensing.wiring.rest.values()
        values["sensors.rest"] = f"{min(rest_values)} - {max(rest_values)}"
        values |= {"sensors.on": sensing.wiring.on, "sensors.off": sensing.wiring.off}
    return {key: known_value for key, known_value in values.items() if known_value is not None}
