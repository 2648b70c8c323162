"""Two clients at once, stopped at real locks; each case shown red against the naive statement."""
