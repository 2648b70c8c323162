"""Composition root: settings, plug-in tables, "build a server", "build a worker"."""
