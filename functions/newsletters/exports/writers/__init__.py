"""One writer per format: blocks -> bytes. A writer parses no markup."""
