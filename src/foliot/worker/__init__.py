"""The worker: it leases runs from a server, executes them in isolation, beats, and reports how they ended."""
