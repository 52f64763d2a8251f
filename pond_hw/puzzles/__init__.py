"""Puzzles: positions with exactly one right action, found and proven by Pond's own search."""
