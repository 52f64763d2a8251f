"""Prepare USB before the computer sees the Pico. MicroPython runs this file at every start, and main.py after it."""

import pond_start

pond_start.prepare()
