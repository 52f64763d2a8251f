"""Ways to look at a board and speak to a session. Each is imported only when it is asked for."""
