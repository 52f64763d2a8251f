"""Sphinx configuration for `make docs`: plain Markdown, no network access; warnings are errors."""

project = "Pond"
author = "the Pond contributors"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Pond"
suppress_warnings = ["toc.not_included"]  # decisions, guides and notes of tests are reached by links
root_doc = "docs/index"
include_patterns = ["docs/**", "hardware/**", "firmware/**", "tests/**/README.md", "*.md"]
exclude_patterns = ["docs/_site"]
html_theme_options = {"source_repository": "", "footer_icons": []}
pygments_style = "sphinx"
