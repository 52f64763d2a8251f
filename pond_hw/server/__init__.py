"""Other programs and a board: protocol 1, `pond headless`, and the service `pond serve` with its local socket.

parse_requests.py  protocol 1, lines in: what they ask for
protocol.py        protocol 1, lines out: hello, states, records and all other answers
view_from_json.py  those read again by a program of ours: a view and a frame
headless.py        the simulated board by JSON lines, in simulated time
setup_lines.py     set-up by JSON lines
execute_request.py  carries out a request at a board
board_run.py       the run on a real machine, from taking hold of the board to leaving it dark; safe starts
service.py         a companion, its clients, its tones: one turn of the loop
supply_monitor.py  the supply of a Raspberry Pi: dims the lamps while it sags
socket_server.py   the socket, each client within its bounds, and what wakes the loop
background_answers.py  answers that take a while: saved games, and what `pond doctor` finds
remote_seats.py    people who are not at the board: their seats, and the requests that wait for a press
rate_limiter.py    limits on how often something may happen, also for the log
socket_client.py   connects a program of ours to such a socket
"""
