"""What a page made here may do in a browser: its own style and script, known by their hashes, and nothing else."""

import base64
import hashlib


def hash_of(text: str) -> str:
    """A style or script as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
