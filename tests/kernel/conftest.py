"""Tests in inside/ are collected only in the simulated Pi: make test-kernel."""

from tests.kernel.breadboard import there

collect_ignore = [] if there() else ["inside"]
