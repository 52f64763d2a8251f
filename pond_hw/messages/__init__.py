"""Everything Pond says to people, once all of it has moved here: message ids with arguments, one catalogue a language.

The plan: rules, session, set-up and doctor say `Message(id, arguments)`; this room alone holds sentences and turns a
message into text in the reader's language. For now it holds what
sentences are made with, plurals and the system's words for errors, and what every text needs before it reaches a
terminal.
"""
