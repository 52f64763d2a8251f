"""Command line: one module per command, listed in `main`, and modules that the commands share.

A command module has `add_arguments`, which adds arguments to a parser, and `run_command`, which runs the command.
"""
