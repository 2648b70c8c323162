"""Secrets of a worker: where they come from, where they may go, and how they are hidden."""
