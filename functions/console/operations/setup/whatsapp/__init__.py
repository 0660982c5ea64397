"""What a company has at WhatsApp: credentials of its Meta app, accounts signed up in Meta's dialog, accounts at AWS."""
