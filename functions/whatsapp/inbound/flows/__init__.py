"""The data endpoint of forms (WhatsApp Flows): encryption, routing between screens, and the exchange of one request."""
