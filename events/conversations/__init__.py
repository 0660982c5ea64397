"""Sample events of conversations: what Twilio and AWS send, signed where they sign. Nothing here runs in Lambda."""
