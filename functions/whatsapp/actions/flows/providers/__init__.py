"""The providers of forms: AWS End User Messaging Social, and Meta's Graph API."""
