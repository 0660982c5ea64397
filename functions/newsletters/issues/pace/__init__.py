"""How fast and how many mails go to mailbox providers: holds after delays, and the warm-up of new domains."""
