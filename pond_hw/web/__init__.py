"""The phone page, `pond web`: a separate process that connects to the socket of a served board.

web_server.py           listens on an address and serves the page
bounded_connections.py  limits on slow or greedy connections
host_filter.py          filter for requests
asgi_app.py             HTTP routes, and a WebSocket for each open page
page_files.py           the page (built from page/) as one response, and its other files
page_hub.py             all open pages: messages to visitors, and their requests to the board
visitor.py              an open page
access.py               what visitors may see and do; a board with a single visitor
seat_access.py          access with seats, and requests that wait for presses on the board
seat_book.py            seats, stored under the hashes of their tokens
client_limits.py        limits on the number of clients and on refused requests
page_requests.py        parser for messages from the page
page_view.py            messages to the page about a game
game_review.py          reviews of saved games, turn by turn
board_link.py           latest messages from the board
socket_board_link.py    connection to the board
page_address.py         addresses of the phone page, and QR codes
hotspot.py              the machine's own Wi-Fi, through NetworkManager
"""
