"""The page for phones: a process of its own that watches a served board and shows it to browsers."""
