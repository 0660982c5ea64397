"""E-mail out: what a mail says (`content`) and Amazon SES, which carries it (`ses`)."""
