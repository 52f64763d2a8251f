"""One module for each thing that can be bought; the thing that cannot is in `simulator`."""
