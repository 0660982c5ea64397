"""Messages of the inbox: inbound, echoes, messages sent elsewhere, edits, statuses and read receipts."""
