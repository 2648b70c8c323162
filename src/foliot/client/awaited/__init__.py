"""`AsyncFoliot`, by hand: the blocking client is derived from these files."""
