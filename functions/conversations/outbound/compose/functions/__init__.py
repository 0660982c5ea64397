"""What a model may call in a turn: functions of the company, proposals of calls, and the search in documents."""
