"""Sample events of conversations: requests, signed webhooks of Twilio, SNS messages of AWS. Not deployed."""
