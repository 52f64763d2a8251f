"""Everything Pond says to people: message ids with arguments, and one catalogue of sentences for each language.

All other rooms say `Message(id, arguments)`. This room alone holds sentences, and turns a message into text in the
reader's language. It also holds what every text needs before it reaches a terminal.
"""
