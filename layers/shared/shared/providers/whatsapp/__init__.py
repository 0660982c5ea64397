"""
WhatsApp through its two providers: Meta's Graph API and AWS End User Messaging Social.

Both accept the same message JSON. The number determines the provider, not the caller.
"""
