"""Brings the catalogues of all languages up to date with the English one, and compiles them.

    make messages

English is written by hand in pond_hw/messages/catalogues/en/*.po. Each other language has the same ids in the same
order, with the English sentence as a comment above each. A new id comes in empty; where the English has changed since
it was translated, the entry is marked fuzzy until somebody has looked at it. The tests accept neither.
"""

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

FOLDER = Path(__file__).parents[1] / "pond_hw" / "messages" / "catalogues"


def main():
    for source_file in sorted((FOLDER / "en").glob("*.po")):
        english = read(source_file)
        compile_po(source_file, english)
        for file in sorted(FOLDER.glob(f"*/{source_file.name}")):
            if file != source_file:
                catalog = update(read(file), english)
                write(file, catalog)
                compile_po(file, catalog)


def read(file):
    with file.open("rb") as opened:
        return read_po(opened, file.parent.name)


def update(translated, english):
    """The catalog of a language, with the ids of the English one."""
    updated = Catalog(english.locale and translated.locale, fuzzy=False, charset="utf-8")
    updated.mime_headers = translated.mime_headers
    for entry in english:
        if not entry.id:
            continue
        texts = [entry.string] if isinstance(entry.string, str) else list(entry.string)
        old = translated.get(key(entry))
        string, flags = ("", set()) if old is None else (old.string, set(old.flags))
        if old and old.auto_comments and old.auto_comments != texts:
            flags.add("fuzzy")
        updated[entry.id] = Message(entry.id, string, flags=flags, auto_comments=texts)
    return updated


def key(entry):
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def write(file, catalog):
    content = BytesIO()
    write_po(content, catalog, width=0, omit_header=False)
    file.write_bytes(content.getvalue())


def compile_po(file, catalog):
    content = BytesIO()
    write_mo(content, catalog)
    file.with_suffix(".mo").write_bytes(content.getvalue())


if __name__ == "__main__":
    main()
