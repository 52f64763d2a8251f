"""Tests of saved results and their JSON."""

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.setup.findings import FAULT, GOOD, SetupFinding, find_remedy
from pond_hw.setup.saved_results import finding_to_json, load_results, save_result
from pond_hw.setup.step import StepResult
from tests.messages.says import text

AT = datetime(2025, 11, 2, 20, 15, tzinfo=UTC)
NEVER = SetupFinding(
    FAULT, "never", ("b3",), Message("finding.never", cell="b3", wire="GPIO 4"), *find_remedy("never", "hall"), {"presses": 0}
)  # fmt: skip

FOUND = StepResult((NEVER,))


@pytest.fixture
def boards(tmp_path):
    return {"POND_BOARDS": str(tmp_path / "boards")}


def test_finding_json_has_text_and_messages():
    written = finding_to_json(NEVER)
    assert written["told"] == text(NEVER.message)
    assert written["cause"] == text(Message("cause.never.hall"))
    assert written["cure"] == text(Message("cure.never.hall"))
    assert [message["id"] for message in written["said"]] == ["finding.never", "cause.never.hall", "cure.never.hall"]
    assert written["said"][0]["arguments"] == {"cell": "b3", "wire": "GPIO 4"}
    good = finding_to_json(SetupFinding(GOOD, "good", ("a1",)))
    assert (good["told"], good["cause"], good["cure"], good["said"]) == ("", "", "", [])


def test_finding_json_text_is_translated():
    class UpperCaseEnglish(Catalogue):
        def text(self, messages):
            return super().text(messages).upper()

    written = finding_to_json(NEVER, UpperCaseEnglish("en"))
    assert written["told"] == text(NEVER.message).upper()
    assert written["said"] == finding_to_json(NEVER)["said"]


def test_saved_results_are_loaded(boards):
    save_result("direct-4x4", "sensors", FOUND, AT, boards)
    found = finding_to_json(NEVER)
    assert load_results("direct-4x4", boards) == {"sensors": {"at": "2025-11-02T20:15:00+00:00", "findings": [found]}}


def test_latest_result_of_each_step_is_saved(boards):
    save_result("direct-4x4", "sensors", StepResult((replace(NEVER, kind="old"),)), AT, boards)
    save_result("direct-4x4", "timing", FOUND, AT, boards)
    file = save_result("direct-4x4", "sensors", FOUND, AT, boards)
    assert [each.name for each in file.parent.iterdir()] == [file.name] == ["direct-4x4.setup.json"]
    results = load_results("direct-4x4", boards)
    assert {step: each["findings"][0]["kind"] for step, each in results.items()} == {
        "sensors": "never",
        "timing": "never",
    }
    assert results["sensors"]["at"] == "2025-11-02T20:15:00+00:00"


@pytest.mark.parametrize(
    "text",
    [
        "", "nonsense", "[]", "[" * 100_000, '{"sensors":7}', '{"sensors":{"at":"x","findings":[7]}}', "\x00",
        '{"map":{"at":"","findings":[{"grade":"bad","kind":"","told":"","cause":"","cure":"","cells":[],"figures":{}}]}}',
        '{"sensors":{"at":"x","findings":[{"grade":"good"}]}}', '{"sensors":{"at":null,"findings":[]}}', " " * 2**21,
    ],
    ids=range(11),
)  # fmt: skip
def test_corrupt_results_file_is_replaced(boards, text):
    save_result("direct-4x4", "map", FOUND, AT, boards).write_text(text)
    assert load_results("direct-4x4", boards) == {}
    save_result("direct-4x4", "map", FOUND, AT, boards)
    assert set(load_results("direct-4x4", boards)) == {"map"}


def test_interrupted_saving_keeps_old_results(boards, monkeypatch):
    file = save_result("direct-4x4", "map", FOUND, AT, boards)
    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        save_result("direct-4x4", "sensors", FOUND, AT, boards)
    assert [(each.name, each.read_bytes()) for each in file.parent.iterdir()] == [(file.name, before)]
