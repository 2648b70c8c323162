"""The SQL store from inside: its tables, statements, locks and engines."""
