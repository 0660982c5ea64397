"""Mail at SES: the input of a send, its attachments, the accepted mails and their last events."""
