"""Server: protocol 1, `pond headless`, and the service `pond serve` with its local socket.

parse_requests.py      parses incoming lines
protocol.py            formats outgoing lines
view_from_json.py      parses outgoing lines in a client: a view and a frame
headless.py            simulated board controlled by JSON lines, in simulated time
setup_lines.py         set-up controlled by JSON lines
execute_request.py     executes a request on a board
board_run.py           lifetime of a real board: open, serve, close; safe starts
service.py             main loop of a served board
supply_monitor.py      dims the lamps of a Raspberry Pi during undervoltage
connections.py         clients, however they are connected
socket_server.py       local socket and its clients
background_answers.py  slow queries: saved games and the doctor
remote_seats.py        seats of remote players, and requests that wait for a press at the board
linked_game.py         link to another home: the client that keeps the log of a linked game
rate_limiter.py        rate limits for clients and for the log
socket_client.py       client side of the socket
board_connection.py    client side of the socket for asyncio programs
"""
