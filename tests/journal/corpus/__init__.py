"""Journals as each released format has written them. They are never made anew: whatever comes later reads them."""
