"""Real servers for the tests, one module each: pytest fixtures in `fixtures`, a shell in `python -m tests.servers`."""
