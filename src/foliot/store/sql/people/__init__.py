"""What people read and own: lists, details, tokens, the journal, remembered answers."""
