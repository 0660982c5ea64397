"""The admin API of the help-desk middleware: switches, conversations, replay, dry run, health."""
