"""The step `signal`: a light that a pause in the lamps' data would spoil, and the encoding that survives such pauses.

Every second lamp of the chain glows white, and the others stay dark. The white grows and fades all the time, so that
each frame is sent, and each with other bits. A pulse that is cut in two makes one bit more: every lamp behind it shows
some colour, and lamps light up that should be dark. It needs no right order of colours, and no right place of any lamp.
"""

from __future__ import annotations

from pond_hw.board import Sample
from pond_hw.lights import FRAME_SECONDS
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.setup.conversation import NO, YES, Lit, Prompt, SetupStep, Talk
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.lamp_places import usable_lamps
from pond_hw.setup.step import SetupOption, StepPage, StepReply, StepResult, StepTick

SIGNAL_CHOICES = (
    SetupOption("y", Message("setup_key.signal_steady")),
    SetupOption("x", Message("setup_key.signal_spoilt")),
)

DIMMEST, BRIGHTEST = 70, 160
"""Between what the white grows and fades: perceived brightness, of 255."""

BREATH_SECONDS = 4.0
"""From one dimmest moment to the next: slow enough to be no flicker by itself."""


class SignalStep(SetupStep):
    """Whether the lamps' data arrive as they were sent, and the encoding to change to if not.

    Attributes:
        profile: the board.
        encoding: how its lamps' bits are drawn now: `byte` or `packed`.
        since: when it began, in seconds.
        at: the latest instant.
    """

    title = Message("signal.title")

    def __init__(self, profile: Profile, encoding: str, instant: float) -> None:
        self.profile, self.encoding, self.since, self.at = profile, encoding, instant, instant
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """What is seen? And if it is not what it should be: shall the other encoding be used?"""
        now = Message("signal.encoding", encoding=self.encoding)
        prompt = Message("signal.shown"), Message("signal.watch"), Message("signal.ask")
        if (yield from self._watch(StepPage(self.title, (now,), prompt, SIGNAL_CHOICES), "yx")) == "y":
            message = Message("signal.steady", encoding=self.encoding)
            return StepResult((SetupFinding(GOOD, "signal", (), message),))
        spoilt = Message("signal.spoilt", encoding=self.encoding)
        if self.encoding == "byte":
            return StepResult((SetupFinding(FAULT, "signal", (), spoilt, *_remedy("wire")),))
        ask_page = StepPage(self.title, (spoilt,), (Message("signal.offer"), Message("signal.agree")), (YES, NO))
        if (yield from self._watch(ask_page, "yn")) == "n":
            return StepResult((SetupFinding(FAULT, "signal", (), spoilt, *_remedy("kept")),))
        finding = SetupFinding(WARNING, "signal", (), spoilt, *_remedy("changed"))
        return StepResult((finding,), {"lamps.encoding": "byte"}, "lamps: encoding byte, since packed was spoilt")

    def _watch(self, page: StepPage, reply_keys: str) -> Talk[str]:
        """Show the light until one of these keys is the answer. A touch is none: one may come by chance."""
        while True:
            event = yield Prompt(page, self._light, self.at + FRAME_SECONDS)
            if isinstance(event, Sample | StepTick):
                self.at = max(self.at, event.instant)
            elif isinstance(event, StepReply) and event.key in reply_keys:
                return event.key

    def _light(self) -> Lit:
        """Every second lamp in white, as bright as this moment of the breath says."""
        phase = (self.at - self.since) / BREATH_SECONDS % 1
        level = round(DIMMEST + (BRIGHTEST - DIMMEST) * (1 - abs(2 * phase - 1)))
        return dict.fromkeys(usable_lamps(self.profile)[::2], (level, level, level))


def _remedy(case: str) -> tuple[Message, Message]:
    """The likely cause, and what to do."""
    return Message(f"signal.cause.{case}"), Message(f"signal.cure.{case}")
