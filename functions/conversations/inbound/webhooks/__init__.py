"""Provider payloads of Twilio and AWS SMS, verified and translated to shared events."""
