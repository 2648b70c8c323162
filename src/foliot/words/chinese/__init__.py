"""The Chinese catalogue: the same keys as the English one, with the same values."""
