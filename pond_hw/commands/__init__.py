"""The command line: a module for each command, listed in `main`, and what several of them share.

A command's module holds its line in the help, what it takes, and what it does; `command` says in which form.
"""
