"""Hardware drivers, one module per device. The simulated board is in `simulator`."""
