"""One suite per port, knowing only the port; each implementation is a parameter."""
