"""What the core needs from outside, one Protocol each."""
