"""Build scripts and studies, not used by `pond` itself. `make help-all` lists most of them."""
