"""One turn of the AI: its task, the calls of the model, the review of answers, and hand-offs."""
