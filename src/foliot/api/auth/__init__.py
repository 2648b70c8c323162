"""Who asks, and what they may: tokens, the session cookie, the right each route declares."""
