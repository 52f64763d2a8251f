"""Build steps of the project, and studies of its authors: nothing that `pond` imports. `make help-all` lists most of them."""
