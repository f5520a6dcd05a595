"""The HTTP edge, `/v1`: schemas, routes, errors as problem+json, event streams. No rule of game or money."""
