"""What a company has at Meta: the credentials of its app, and accounts that a person signs up in Meta's dialog."""
