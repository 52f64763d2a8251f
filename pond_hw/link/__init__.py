"""The linked game: two homes share one game as a log of signed entries. Pure: no clock, thread, file or network.

`signatures` signs and verifies, `invitation` parses invitations and derives their keys, `sealing` encrypts messages,
`changes` lists the changes that need the other home, `game_log` folds the log into the game, `wishes` keeps open requests, and
`linked_game` is one home's end of the link.
"""
