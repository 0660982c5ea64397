"""Sample mails, and events for the functions of e-mail threads."""
