"""What lies in inside/ is collected in the simulated Pi only: make test-kernel."""

from tests.kernel.breadboard import there

collect_ignore = [] if there() else ["inside"]
