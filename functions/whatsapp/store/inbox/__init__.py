"""Items of the inbox: messages, their reports, media and calls, and jobs that export them."""
