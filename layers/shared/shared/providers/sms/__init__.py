"""SMS: segment counting, and AWS End User Messaging SMS. Twilio serves several channels and has its own package."""
