"""The console: its sources in TypeScript, and how they are checked and built (`python -m web.build`)."""
