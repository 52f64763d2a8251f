"""Does Pond still do what it did? Compares everything it prints and writes, before a change and after it.

    python -m tests.behaviour replay                      # hold the recorded conversations in transcripts/ again
    python -m tests.behaviour compare main --most 20      # made-up cases: that commit against the code as it is
    python -m tests.behaviour record FOLDER               # the same in two steps: with the code as it was
    python -m tests.behaviour check FOLDER --jobs 2       # with the code as it is

`make behaviour` replays; `make behaviour BASE=main` also compares. The conversations hold every command of the protocol
with good and bad values; see transcripts.py. The made-up cases are many, and far: `record` makes inputs up, runs the
`pond` of this checkout on them, and keeps both in FOLDER: for each case a file of what goes in (commands, their input,
files that lie there) and one of what came out. `check` runs the same inputs again and compares. It says for each group
how many cases differ, for each of these the first line that does, and ends with 1 if there are any. `--only GROUP`
takes one group (several times), `--most N` so many cases of each.

Nothing of `pond_hw` is imported: a case knows commands, lines of docs/protocol.md and files alone, so that a folder
that was recorded before everything in the package was moved and renamed still counts afterwards. Whoever changes a
sentence or a line on purpose reads the differences, and records again (`replay --update`).

All chances have seeds, and time on the boards is simulated. What must differ from run to run is masked: the folder, the
date and time of today, what a game is called in its journal and how long it took, the version of the program.
"""
