"""Set-up wizard: measure a board with the user's help, find faults, and propose changes to its calibration file.

    controller           opens the board, runs the wizard and saves accepted changes
    step_table           all steps, in menu order
    wizard               menu, current step and result pages
    step_runner          passes sensor samples to a step and shows its lamps
    step, pages          base class of the steps, and their pages
    lamp_steps, wiring_step, sensor_steps, calibration_step, turn_key_step    the steps
    touch_detector, sensor_measurements, sensor_diagnosis      turn samples into touches, measurements and faults
    wiring_inference, wiring_patterns, wiring_findings         turn touches into positions of lamps and sensors
    findings, saved_results                                    findings, and the file that stores them
    lamp_positions       names and chain positions of lamps
    by_lamps             set-up without a screen

Each step is a conversation that has no access to the clock, files or devices. It receives samples, replies and
timestamps, and produces pages, lit lamps, findings and proposed changes. Every step can be run from a terminal or from
another program. The map, key and sensor steps also work with the lamps alone.
"""
