"""The `keys` step: check that each turn key responds and that no keys are swapped."""

from __future__ import annotations

from math import inf

from pond_hw.board import RGB, HealthEvent, KeyEvent, TurnKeyEvent
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile, name_turn_key
from pond_hw.rules import DARK, LIGHT, Side, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.lamp_positions import light_cells
from pond_hw.setup.pages import SetupOption, StepPage
from pond_hw.setup.step import Conversation, LitLamps, Prompt, SetupStep, StepReply, StepResult, StepTick

TIMEOUT_SECONDS = 8.0
"""Seconds after which an unpressed key is skipped if there is no screen."""

ASKED: RGB = (150, 150, 150)

NOTHING_HAPPENS = SetupOption("x", Message("setup_key.nothing_happens"))


class TurnKeyTest(SetupStep):
    """The `keys` step.

    Attributes:
        profile: the board's profile.
        trouble: reason why the sensors do not respond, or None.
    """

    title = Message("turn_keys.title")

    def __init__(self, profile: Profile, instant: float, *, is_timed: bool = False) -> None:
        self.profile = profile
        self.trouble: Message | None = None
        self._asked_at, self._timeout = instant, TIMEOUT_SECONDS if is_timed else inf
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Ask the user to press each key in turn."""
        findings = []
        for side in self.profile.turn_key_pins:
            answer = yield from self._ask(side)
            findings.append(_judge_answer(name_turn_key(side), answer))
        return StepResult(tuple(findings))

    def _ask(self, side: Side | None) -> Conversation[str]:
        """Return the name of the key that was pressed; `never` if the user saw no response, or `late` after a timeout."""
        wanted = Message("turn_keys.press", key=Message(f"pin_user.{name_turn_key(side)}"))
        while True:
            page = StepPage(self.title, (), self.trouble or wanted, (NOTHING_HAPPENS,))
            match (yield Prompt(page, self._light(side), self._asked_at + self._timeout)):
                case TurnKeyEvent(pressed_side, True, instant):
                    self._asked_at = instant
                    return name_turn_key(pressed_side)
                case KeyEvent(True, instant):
                    self._asked_at = instant
                    return "key"
                case StepReply("x", instant):
                    self._asked_at = instant
                    return "never"
                case StepTick(instant) if instant >= self._asked_at + self._timeout:
                    self._asked_at = instant
                    return "late"
                case HealthEvent(trouble, _):
                    self.trouble = trouble

    def _light(self, side: Side | None) -> LitLamps:
        """Light the requested key, if it has a lamp, and the row nearest to its side."""
        rows = {LIGHT: get_grid(self.profile.size).rows[-1], DARK: get_grid(self.profile.size).rows[0]}
        cells = [cell for row_side, row in rows.items() if side in (row_side, None) for cell in row]
        key_lamps = dict(zip(self.profile.turn_key_pins, self.profile.chain.key_positions, strict=False))
        lit_key = {key_lamps[side]: ASKED} if side in key_lamps else {}
        return light_cells(self.profile, cells, ASKED) | lit_key


def _judge_answer(key_name: str, answer: str) -> SetupFinding:
    key = Message(f"pin_user.{key_name}")
    if answer == key_name:
        return SetupFinding(GOOD, "turn key", message=Message("finding.turn_key_good", key=key))
    if answer == "late":
        found, cure = Message("finding.turn_key_late", key=key), Message("cure.turn_key_late")
        return SetupFinding(WARNING, "not examined", message=found, cure=cure)
    if answer == "never":
        found, case = Message("finding.turn_key_never", key=key), "never"
    else:
        found, case = Message("finding.turn_key_elsewhere", key=key, other=Message(f"pin_user.{answer}")), "elsewhere"
    cause, cure = Message(f"cause.turn_key_{case}"), Message(f"cure.turn_key_{case}")
    return SetupFinding(FAULT, f"turn key {case}", message=found, cause=cause, cure=cure)
