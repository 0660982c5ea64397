"""The pace and number of mails to mailbox providers: holds after delays, and the warm-up of new domains."""
