"""The sandbox's Twilio and AWS End User Messaging SMS."""
