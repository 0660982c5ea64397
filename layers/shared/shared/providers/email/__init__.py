"""Outgoing e-mail: the content of a mail (`mime`) and sending through Amazon SES (`ses`)."""
