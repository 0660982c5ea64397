"""
WhatsApp over its two providers: Meta's Graph API and AWS End User Messaging Social.

Both take the same message JSON. Which one a number uses is a property of the number, not of the caller.
"""
