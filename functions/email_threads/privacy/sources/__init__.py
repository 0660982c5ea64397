"""Where data about a person is: threads of the person, threads with others, and lists."""
