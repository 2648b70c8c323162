"""What every statement stands on: connections, transactions, dialects, the schema and its migrations."""
