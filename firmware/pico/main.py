"""Run the firmware that boot.py has prepared, unless it has failed too often."""

import pond_start

pond_start.run()
