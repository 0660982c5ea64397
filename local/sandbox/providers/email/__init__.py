"""The sandbox's Amazon SES."""
