"""Whether Pond still does what it did: everything it prints and writes, before a change and after it.

    python -m tests.behaviour record FOLDER               # with the code as it was
    python -m tests.behaviour check FOLDER --jobs 2       # with the code as it is

`record` makes inputs up, runs the `pond` of this checkout on them, and keeps both in FOLDER: for each case a file of
what goes in (commands, their input, files that lie there) and one of what came out. `check` runs the same inputs again
and compares. It says for each group how many cases differ, for each of these the first line that does, and ends with 1
if there are any. `--only GROUP` takes one group (several times), `--most N` so many cases of each.

Nothing of `pond_hw` is imported: a case knows commands, lines of docs/protocol.md and files alone, so that a folder
that was recorded before everything in the package was moved and renamed still counts afterwards. Whoever changes a
sentence or a line on purpose reads the differences, and records again.

All chances have seeds, and time on the boards is simulated. What must differ from run to run is masked: the folder, the
date and time of today, what a game is called in its journal and how long it took, the version of the program.
"""
