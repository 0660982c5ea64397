"""Messages of the inbox: received, sent elsewhere, edited, with statuses and read receipts."""
