"""Pond, the trick-taking card game for two players or two partnerships, by Michael Schoessow.

It shares its name with the board game and nothing else. This room holds all of it, from the rules to its command, and
nothing else imports it. `docs/card-game.md` says which reading of the rules is taken where they are silent.

    rules          the game on paper
    bots           programs that play
    session        a game with people and programs at its seats
    saved_games    games and score sheets in the journal
    scene, lamps   the game on a lit board
    screens        the game in a terminal
    headless       the game for other programs
    command        `pond cards`
"""
