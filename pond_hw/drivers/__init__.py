"""One module for each thing that can be bought, and one, `simulated`, for the thing that cannot."""
