"""`Foliot`, derived from the async client: python -m tests.client.derive writes these files."""
