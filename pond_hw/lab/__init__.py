"""For those who study the game: many games between programs, played apart from any table, and what they come to.

`bout` plays one game. `plan` says which games there are, and in which pieces they are dealt out. `hands` are those who
play the pieces: this process, processes beside it, or a cluster. `ledger` is the file that keeps what was played.
`tally` counts, `strength` reckons what the counts say about the players, and `tournament` holds it all together.

Every game follows from the plan alone. So it does not matter who plays which piece, how many do, in which order, or
how often they were stopped: what it comes to is the same.
"""
