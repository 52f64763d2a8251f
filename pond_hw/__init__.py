"""Pond, a board game for two on a board of lamps and sensors."""

__version__ = "1.0.0"
