"""Commands for the help desk: its settings, a report on old tickets, routing after dry run."""
