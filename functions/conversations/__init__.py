"""
AI conversations with one person about one matter, over WhatsApp, SMS and e-mail.

This context owns the conversation tables, company data and the `conversations-*` queues. It takes in what people write
over Twilio and AWS End User Messaging SMS, and what `whatsapp` and `email_threads` pass on; it writes the first message
of a conversation, answers the following ones, runs allowed functions and hands over to people. It never sends without
asking policy first, never sends one answer twice, and never reaches another tenant's conversation by a valid signature
of somebody else.
"""
