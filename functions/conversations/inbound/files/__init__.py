"""Files of customers' messages: downloads, attachments that come later or are refused, and recordings as text."""
