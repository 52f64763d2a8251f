"""Design printed circuit boards: parts on a board, tracks, KiCad files, and lists for an assembly house."""
