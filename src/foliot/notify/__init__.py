"""Alert channels: one file a kind. Each sends one message, within a limit of time, and says whether it was taken."""
