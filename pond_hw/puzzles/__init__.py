"""Puzzles: positions with one right action, found and proven by our own search."""
