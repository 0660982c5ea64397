"""
AI conversations with one customer about one matter, over WhatsApp, SMS and e-mail.

This context owns the conversation tables, company data and the `conversations-*` queues. It receives customer messages
through Twilio and AWS End User Messaging SMS, and messages that `whatsapp` and `email_threads` forward. It writes the
first message of a conversation, answers the following ones, runs allowed functions and hands off to human agents. It
never sends without a policy check, never sends one answer twice, and never lets the valid signature of one tenant
access a conversation of another.
"""
