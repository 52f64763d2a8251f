"""Set-up: with the owner of a board, measure it, say what is wrong and where, and propose changes to its own file.

    controller           opens the board, runs the wizard on it, saves what was accepted
    step_table           all steps, in the order of the menu
    wizard               the menu, the step under way, result pages
    step_runner          brings samples to a step, and its light to the lamps
    step, pages          what every step is, and what it shows
    lamp_steps, wiring_step, sensor_steps, calibration_step    the steps
    touch_detector, sensor_measurements, sensor_diagnosis      from samples to touches, measurements, faults
    wiring_inference, wiring_patterns, wiring_findings         from touches to where lamps and sensors lie
    findings, saved_results                                    what was found, and its file
    lamp_places          which lamps are in which cell
    by_lamps             set-up without a screen

Every step is a conversation that knows no clock, file or device: samples, replies and instants go in; pages, lit lamps
and in the end findings and proposed changes come out. A terminal, a program or the lamps alone lead every step alike.
"""
