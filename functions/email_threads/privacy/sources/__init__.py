"""Places with data about a person: threads of the person, threads with others, and lists."""
