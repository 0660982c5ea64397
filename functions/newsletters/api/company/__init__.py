"""The settings of a company with their versions, and its documents."""
