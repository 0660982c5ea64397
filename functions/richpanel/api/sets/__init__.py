"""Sets of scenarios of the help desk, and their runs."""
