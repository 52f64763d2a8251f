"""Pond in a browser tab: the phone page with a simulated board of its own, without hardware, server or threads.

page_board.py      the board of the page: companion, service, link and hub in one thread
page_connection.py connection of the page to the service, in memory
setup_trial.py     trial of set-up: break a sensor and let set-up find the fault
site/              scripts, styles and HTML that only this page has; tools/browser builds it
live_board/        the same for the small boards in the manual
"""
