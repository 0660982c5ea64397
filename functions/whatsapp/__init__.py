"""
The WhatsApp Business inbox: every message of a business's numbers, with its confirmed delivery state.

This context owns the whatsapp table, `whatsapp.fifo` and the media bucket. It processes the reports of Meta and AWS End
User Messaging Social, stores conversations, messages, statuses and media, and serves them. It never decides what an AI
answers, never stores consent, and never reports a success that no provider confirmed.
"""
