"""Build steps that users of Pond never run. `make help-all` lists those that have a target."""
