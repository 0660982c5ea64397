"""Jobs of the inbox's function, which go on after the answer of a request: one engine for all kinds."""
