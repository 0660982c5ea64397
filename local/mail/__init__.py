"""Mail for the local stack, which no SES receives: stored in the bucket as SES stores it."""
