"""Images of Raspberry Pi OS that install Pond when they first start."""
