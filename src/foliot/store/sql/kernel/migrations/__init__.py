"""The history of the schema, one for all engines. Numbered; each step only expands or only contracts (R19)."""
