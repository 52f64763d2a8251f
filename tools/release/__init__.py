"""Tools that build everything that is published with a version, and try it: `make release`, `make try-release`."""
