"""The command line: a module for each command, listed in `main`, and the modules that several commands share.

A command's module has `add_arguments`, which adds its arguments to a parser, and `run_command`, which runs it.
"""
