"""Many games between programs, played apart from any table, and what they come to: tournaments and studies.

`tournament_plan` says which games there are, and in which batches they are dealt out. `workers` play the batches: this
process, processes beside it, or a cluster; `engine_game` plays one game. `resumable_results` keeps what was played. `tally` counts
it, `elo` says what the counts mean for the players. `tournament` holds it all together, and `study` is a tournament of one
player with itself.

Every game follows from the plan alone. So it does not matter who plays which batch, how many do, in which order, or
how often they were stopped: the result is the same.
"""
