"""Notifications of the people who use the console: their list, what is read, settings, and mails to the absent."""
