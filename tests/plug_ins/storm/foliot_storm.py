"""A package that fails when it is imported."""

raise RuntimeError("there is no barometer here")
