"""Items of threads: heads, mails, notes, participants, deadlines and satisfaction."""
