"""Tournaments and studies: many games between programs, without a board.

`tournament_plan` defines the games and their batches. `workers` play the batches: this process, other processes, or a
cluster. `engine_game` plays one game, `resumable_results` saves the games, `tally` counts them, and `elo` rates the
players. `tournament` ties these together. `study` is a tournament of one player against itself.

Every game follows from the plan alone, so the result does not depend on the workers or on interruptions.
"""
