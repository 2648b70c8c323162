"""The HTTP client (Foliot, AsyncFoliot) and the transport a worker uses."""
