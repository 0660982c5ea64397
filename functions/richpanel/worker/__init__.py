"""Processing of one ticket event: decide, tag, assign, reply, update the state, audit."""
