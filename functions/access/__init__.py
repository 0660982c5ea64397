"""Who may call the admin APIs: API keys, and the Lambda authorizer that knows them."""
