"""SMS: what a text costs in parts, and AWS End User Messaging SMS. Twilio, which carries more, has its own module."""
