"""HTTP: routes, request bodies, negotiation, problems, middleware, batch, event streams, pages."""
