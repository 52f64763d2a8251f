"""Journals in each released format. They are never regenerated: every later version must read them."""
