"""Foliot: a distributed job scheduler. This module is what users import; it holds no logic."""

__version__ = "0.1.0"
