"""The page for phones, `pond web`: a process of its own beside a served board, and a client of its socket.

web_server.py      takes hold of an address and serves the page
bounded_connections.py  connections that ask for nothing, or for too much, are ended
host_filter.py     which requests come in at all
asgi_app.py        the page, and a WebSocket for each that is open
page_files.py      the page (in page/) as one answer, with its words and what a visitor may see; and its other files
page_hub.py        everybody who has the page open: what they see and may do
seat_book.py       who may act: seats, kept under the hashes of tokens
client_limits.py   how many clients there is room for, and how often they may ask in vain
page_requests.py   what a page may say
page_view.py       what a page is sent about a game
game_review.py     kept games, judged turn by turn
board_link.py      the connection to the board
page_address.py    at which addresses phones can open it; QR codes of them
hotspot.py         a Wi-Fi of the machine's own, by way of NetworkManager
"""
