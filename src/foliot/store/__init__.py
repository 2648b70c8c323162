"""Adapters of the store port: where the truth is kept."""
