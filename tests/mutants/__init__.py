"""Foliot broken on purpose, one mistake at a time: the checker must say which promise each one breaks."""
