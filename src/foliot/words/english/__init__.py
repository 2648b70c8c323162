"""The English catalogue: templates by key, in the form that `words.templates` fills."""
