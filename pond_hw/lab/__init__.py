"""For those who study the game: many games between programs, played apart from any table, and what they come to.

`engine_game` plays one game. `tournament_plan` says which games there are, and in which batches they are dealt out.
`executor` has those who play the batches: this process, processes beside it, or a cluster. `results_file` keeps what was
played. `tally` counts, `elo` says what the counts mean for the players, and `tournament` holds it all together.

Every game follows from the plan alone. So it does not matter who plays which batch, how many do, in which order, or
how often they were stopped: the result is the same.
"""
