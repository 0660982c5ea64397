"""What people and software read over HTTP."""
