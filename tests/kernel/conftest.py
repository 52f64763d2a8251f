"""The tests in inside/ are collected only on the simulated Pi: make test-kernel."""

from tests.kernel.breadboard import is_simulated_pi

collect_ignore = [] if is_simulated_pi() else ["inside"]
