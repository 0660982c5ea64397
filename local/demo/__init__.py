"""What `make demo` shows, a chapter for each context."""
