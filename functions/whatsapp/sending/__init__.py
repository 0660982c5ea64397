"""Messages that agents send from the inbox: checked, sent once, and stored with their outcome."""
