"""Foliot inside web frameworks."""
