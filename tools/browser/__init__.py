"""Build and serve the page that runs in a browser alone: `make browser`."""
