"""Pond, on a board that lights up."""

__version__ = "0.1.0"
