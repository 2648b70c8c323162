"""Words: every sentence and hint a person reads, in each language. Domain and ports give the facts they are made of."""
