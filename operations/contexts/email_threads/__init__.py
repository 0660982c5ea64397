"""Commands of e-mail threads."""
