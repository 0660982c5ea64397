"""Functions that a model may call in a turn: the company's, proposals of calls, and the search in documents."""
