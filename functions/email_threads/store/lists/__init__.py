"""Lists of threads: of a mailbox, of the inbox over all contexts, and of a person."""
