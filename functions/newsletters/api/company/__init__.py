"""What belongs to a company: its settings with their versions, and its documents."""
