"""A table in the browser: play, watch, review. Needs NiceGUI: ``pip install 'spades-env[web]'``."""
