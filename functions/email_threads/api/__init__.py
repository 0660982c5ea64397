"""What people and their software read and change over HTTP."""
