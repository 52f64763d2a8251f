"""Messages for users: an id with arguments, and a catalogue of sentences for each language.

Other packages only create `Message(id, arguments)`. This package formats messages in the user's language and makes text
safe to print on a terminal.
"""
