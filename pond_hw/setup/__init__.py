"""Set-up: measure a board with its owner's help, find faults, and propose changes to its calibration file.

    controller           opens the board, runs the wizard on it, saves what was accepted
    step_table           all steps, in the order of the menu
    wizard               menu, current step, result pages
    step_runner          passes samples to a step, and its light to the lamps
    step, pages          base class and pages of the steps
    lamp_steps, wiring_step, sensor_steps, calibration_step    the steps
    touch_detector, sensor_measurements, sensor_diagnosis      from samples to touches, measurements, faults
    wiring_inference, wiring_patterns, wiring_findings         from touches to positions of lamps and sensors
    findings, saved_results                                    findings, and their file
    lamp_places          lamps of each cell
    by_lamps             set-up without a screen

Every step is a conversation without access to clock, file or device. Samples, replies and instants go in. Pages,
lit lamps, and finally findings and proposed changes come out. All steps work with a terminal, a program or the
lamps alone.
"""
