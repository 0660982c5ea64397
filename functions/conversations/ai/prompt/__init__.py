"""The system prompt, the project's open questions and its WhatsApp templates."""
