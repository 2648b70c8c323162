"""Servers and workers: the leader, the store's clock, dead sessions, a store that came from a backup."""
