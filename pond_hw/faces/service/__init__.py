"""`pond serve`: a board that is on for as long as the machine is, and the local socket through which others join in.

    serve.py      the run on a real machine, from taking hold of the board to leaving it dark
    service.py    a companion, its clients and its watchers: one turn of the loop
    door.py       the socket, and each client within its bounds
    bell.py       what wakes the loop
    instance.py   one board, one service: the lock that names who holds it
    places.py     where socket and lock lie
    systemd.py    ready, still alive, what goes on: told to systemd
    power.py      a supply that sags dims the lamps
    tunes.py      what is to be heard of a change
    limits.py     what a profile's lamps may draw
"""
