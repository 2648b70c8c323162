"""Duties of a server, one file each; `loop` drives them all."""
