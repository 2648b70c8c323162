"""REST and SSE routes, auth, the worker protocol, errors as problem+json."""
