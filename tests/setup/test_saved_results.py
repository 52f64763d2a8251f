"""What set-up found, in files and for other programs."""

import json
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


@pytest.fixture
def boards(tmp_path):
    return {"POND_BOARDS": str(tmp_path / "boards")}


def test_a_finding_is_written_as_text_and_as_messages():
    written = finding_to_json(NEVER)
    assert written["told"] == text(NEVER.message)
    assert written["cause"] == text(Message("cause.never.hall"))
    assert written["cure"] == text(Message("cure.never.hall"))
    assert [said["id"] for said in written["said"]] == ["finding.never", "cause.never.hall", "cure.never.hall"]
    assert written["said"][0]["arguments"] == {"cell": "b3", "wire": "GPIO 4"}
    good = finding_to_json(SetupFinding(GOOD, "good", ("a1",)))
    assert (good["told"], good["cause"], good["cure"], good["said"]) == ("", "", "", [])


def test_a_finding_is_written_in_another_language():
    class Shouts(Catalogue):
        def text(self, messages):
            return super().text(messages).upper()

    written = finding_to_json(NEVER, Shouts("en"))
    assert written["told"] == text(NEVER.message).upper()
    assert written["said"] == finding_to_json(NEVER)["said"]


def test_what_was_saved_is_loaded(boards):
    save_result("direct-4x4", "sensors", StepResult((NEVER,)), AT, boards)
    found = finding_to_json(NEVER)
    assert load_results("direct-4x4", boards) == {"sensors": {"at": "2025-11-02T20:15:00+00:00", "findings": [found]}}


def test_results_without_messages_are_loaded_too(boards):
    file = save_result("direct-4x4", "sensors", StepResult((NEVER,)), AT, boards)
    results = json.loads(file.read_text(encoding="utf-8"))
    (found,) = results["sensors"]["findings"]
    del found["said"]
    found["told"] = "b3 was asked for and nothing answered."
    file.write_text(json.dumps(results), encoding="utf-8")
    assert load_results("direct-4x4", boards) == results
