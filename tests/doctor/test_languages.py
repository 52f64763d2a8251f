"""Tests that all output of the doctor, the report, `pond boards` and recordings is translated."""

import re

import pytest

from pond_hw import __version__
from pond_hw.blackbox import text as recording_text
from pond_hw.blackbox.text import format_notes
from pond_hw.commands import boards, doctor
from pond_hw.doctor import check_results, report
from pond_hw.doctor.report import format_report
from pond_hw.messages.catalogue import Catalogue
from pond_hw.profile import list_shipped
from tests.blackbox.recordings import NOTES
from tests.doctor.pi_trees import Pi

MARKED = re.compile(r"⟦[^⟦⟧]*⟧", re.DOTALL)


class MarkedCatalogue(Catalogue):
    """Catalogue that puts brackets around every message."""

    def text(self, messages):
        texts = super().text(messages)
        return f"⟦{texts}⟧"


@pytest.fixture(autouse=True)
def marked(monkeypatch):
    """Register `xx` as a language that marks every message."""
    for module in (check_results, report, boards, recording_text):
        monkeypatch.setattr(module, "get_catalogue", lambda language: {"xx": MarkedCatalogue("en")}[language])


def unmarked(lines):
    """Return the lines without text from the catalogue."""
    text, before = "\n".join(lines), ""
    while text != before:
        text, before = MARKED.sub("", text), text
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_doctor_is_translated_except_commands(tmp_path, capsys):
    pi = Pi(tmp_path)
    pi.now = 0.0
    pi.service["UnitFileState"] = "disabled"
    doctor.print_findings(None, as_object=False, host=pi.host, language="xx")
    commands = ["sudo pond-board direct-4x4", "sudo timedatectl set-ntp true"]
    assert unmarked(capsys.readouterr().out.splitlines()) == commands


def test_report_is_translated_except_facts(tmp_path):
    pi = Pi(tmp_path)
    left = unmarked(format_report("direct-4x4", pi.host, language="xx").splitlines())
    assert [line for line in left if set(line) != {"-"}] == [
        f"Pond {__version__}",
        "2026-09-21T10:00:00+0200 pond[612]: serving",
    ]


def test_board_descriptions_are_translated():
    assert unmarked(boards.describe_profile("simulated-4x4", language="xx")) == ["simulated-4x4:"]
    assert unmarked(boards.list_profiles("xx")) == list(list_shipped())


def test_recording_is_translated_except_numbers():
    kinds = {line.split()[1] for line in unmarked(format_notes(NOTES, "xx")) if len(line.split()) == 2}
    assert kinds == {"board", "input", "fault"}
