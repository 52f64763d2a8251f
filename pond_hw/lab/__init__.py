"""Tournaments and studies: many games between programs, without a board.

`tournament_plan` defines the games and divides them into batches. `workers` play the batches in this process, in other
processes, or on a cluster. `engine_game` plays one game, `resumable_results` saves the games, `tally` counts them, and
`elo` rates the players. `tournament` combines all of these. `study` is a tournament of one player against itself.

The plan determines every game, so the result does not depend on the workers or on interruptions.
"""
