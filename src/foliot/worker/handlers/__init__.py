"""Kinds of handlers that a worker executes, one file each; `ports.handler` is what they have in common."""
