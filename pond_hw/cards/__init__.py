"""Pond, the trick-taking card game by Michael Schoessow, for two players or two partnerships.

It shares only its name with the board game. All its code is in this package, and nothing outside imports it.
`docs/card-game.md` explains how Pond interprets the rules where they are silent.

    rules          the rules, without input or output
    bots           computer players
    session        a game in progress
    saved_games    games and score sheets in the journal
    scene, lamps   the game on a lit board
    screens        the game in a terminal
    headless       the game for other programs
    command        `pond cards`
"""
