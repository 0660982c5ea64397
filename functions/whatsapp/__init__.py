"""
The WhatsApp Business inbox: every message of a business's numbers, with its true delivery state.

This context owns the whatsapp table, `whatsapp.fifo` and the media bucket. It takes in what Meta and AWS End User
Messaging Social report, keeps conversations, messages, statuses and media, and shows them. It never decides what an
AI answers, never holds consent, and never reports a success that no provider gave.
"""
