"""Access to the admin APIs: API keys, the Lambda authorizer that verifies them, and the call rate per company."""
