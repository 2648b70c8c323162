"""Galera: what holds with one writer node, and with a writer on every node."""
