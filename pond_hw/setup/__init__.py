"""Set-up: a walk round the board with its owner. It measures, says what is wrong and where, and proposes changes.

Every step is a conversation (`step`) that knows no clock, file or device: readings, replies and instants go
in; what to light, what to ask, and in the end what was found and what might be changed come out. Whoever leads the
walk, a terminal, a program, or nobody but the lamps, does the same for every step.
"""
