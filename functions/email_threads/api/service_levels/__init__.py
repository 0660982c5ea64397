"""Due times of threads, business hours of mailboxes, and reports of met and breached targets."""
