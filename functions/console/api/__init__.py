"""HTTP API of the console: the inbox, people, live tickets and sign-out."""
