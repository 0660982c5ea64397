"""Items of mailboxes: settings, versions, aliases, macros and signatures."""
