"""What `pond doctor` finds around a served board, for those who look after it.

The doctor runs in a process of its own, with less priority: it reads many files, and the board plays on.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any

from pond_hw.messages.message_json import parse_messages
from pond_hw.server.game_json import text_fields

DOCTOR_SECONDS = 60.0
"""So long the doctor may take."""

LESS_PRIORITY = 10
"""What is added to the niceness of its process."""


def summarise_doctor(board: str | None, language: str) -> dict[str, Any]:
    """The answer to who asks what the doctor finds. It takes a second or more.

    Args:
        board: the name or the path of the board's profile; None: the one that the service serves.
        language: of the reader.

    Raises:
        OSError, subprocess.SubprocessError, ValueError, KeyError: the doctor does not run, or says what makes no sense.
    """
    import subprocess  # in most evenings nobody asks

    command = [sys.executable, "-m", "pond_hw", "doctor", "--json", *(["--board", board] if board else [])]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, start_new_session=True) as doctor:  # type: ignore[call-overload]
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, doctor.pid, LESS_PRIORITY)
        try:
            output, _ = doctor.communicate(timeout=DOCTOR_SECONDS)
        except subprocess.TimeoutExpired:
            doctor.kill()
            raise
    report = json.loads(output)
    findings = [
        {"grade": str(finding["grade"]), "subject": str(finding["subject"]), "mend": str(finding["mend"])}
        | text_fields("text", parse_messages(finding["said"], finding["told"]), language)
        for finding in report["findings"]
    ]
    summary = text_fields("summary", parse_messages(report["summary_said"], report["summary"]), language)
    return {"type": "doctor", **summary, "findings": findings}
