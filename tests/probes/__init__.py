"""Attacks from outside: tests that know HTTP, the command line and files, and nothing of how Foliot is built inside."""
