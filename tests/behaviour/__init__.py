"""Comparison of everything that Pond prints and writes before and after a change.

    python -m tests.behaviour replay                      # replay the recorded conversations in transcripts/
    python -m tests.behaviour compare main --most 20      # compare generated cases: a commit with the current code
    python -m tests.behaviour record FOLDER               # the same in two steps: first with the old code
    python -m tests.behaviour check FOLDER --jobs 2       # then with the current code

`make behaviour` replays; `make behaviour BASE=main` also compares. The recorded conversations cover every command of
the protocol with valid and invalid values; see transcripts.py. There are many more generated cases. `record` generates
inputs (commands with their input and files), runs the `pond` of this checkout on them, and stores the inputs and
results in FOLDER. `check` runs the same inputs again and compares. For each group it prints the number of cases that
differ and the first different line of each, and exits with 1 if there are any. `--only GROUP` selects a group and can
be repeated; `--most N` limits the number of cases per group.

Nothing is imported from `pond_hw`. A case uses only commands, lines of docs/protocol.md and files, so a recorded folder
stays valid after the package is reorganised. After an intended change of a message or a line, check the differences
and record again (`replay --update`).

All random numbers are seeded, and time on the boards is simulated. Values that differ in each run are masked: the
folder, date and time, names and durations of games in the journal, and Pond's version.
"""
