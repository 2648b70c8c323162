"""Logging, metrics, tracing."""
