"""Due runs go to workers: candidates, seats for them, limits and what a merge run gets."""
