"""Set-up as people and programs lead it: in a terminal (`app`), by JSON lines (`lines`), and by the lamps alone."""
