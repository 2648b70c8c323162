"""What happens when a fire is late, early, or fails: misfire, overlap, retry."""
