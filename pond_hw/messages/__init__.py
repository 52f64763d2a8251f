"""Messages for users: ids with arguments, and a catalogue of sentences for each language.

Other packages only create `Message(id, arguments)`. This package turns messages into text in the reader's language, and
makes text safe for a terminal.
"""
