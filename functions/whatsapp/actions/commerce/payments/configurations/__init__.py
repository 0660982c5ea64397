"""Payment configurations of accounts at the provider."""
