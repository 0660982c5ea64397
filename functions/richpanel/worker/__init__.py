"""The processing of one ticket event: decide, tag, assign, reply, remember, audit."""
