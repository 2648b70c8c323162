"""The kind `http`: a run calls a URL, and what the server answers decides how the run ends."""
