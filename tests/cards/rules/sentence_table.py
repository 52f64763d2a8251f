"""Table of the rules' sentences and the tests that cover them. `python -m tests.cards.rules.sentence_table` prints it.

Each sentence is identified by its first words.
"""

from importlib import import_module

TABLE = []


def covers(*sentences):
    """Record that the decorated test covers these sentences of the rules."""

    def register(test):
        TABLE.extend((sentence, test.__name__) for sentence in sentences)
        return test

    return register


if __name__ == "__main__":
    import_module("tests.cards.rules.test_sentences_four")
    table = import_module("tests.cards.rules.sentence_table").TABLE
    print("\n".join(f"{sentence} ...  ->  {name}" for sentence, name in table))
