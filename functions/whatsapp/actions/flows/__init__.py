"""Forms (WhatsApp Flows): building them at the provider, sending them, their routing, keys and responses."""
