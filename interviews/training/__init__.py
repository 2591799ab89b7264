"""Training: how what ships fitted was fitted, and to what."""
