"""Real boards, link processes and a real broker. `python -m tests.mqtt.processes` runs many more schedules."""

import pytest

from tests.conftest import require
from tests.mqtt.processes import run_schedules

require("mosquitto", "the homes meet at a real broker")

pytestmark = pytest.mark.slow


def test_homes_agree_after_kills():
    counts = run_schedules(4, 5)
    assert counts["schedules"] == 4
    assert counts["turns by hand"] > 0
