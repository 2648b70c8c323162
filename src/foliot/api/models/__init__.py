"""What the API takes and gives, as JSON. Unknown fields are refused (SEC-06)."""
