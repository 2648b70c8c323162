"""Who sends a request, and what they may do: tokens, the session cookie, the right each route declares."""
