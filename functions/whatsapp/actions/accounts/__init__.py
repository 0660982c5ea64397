"""Business accounts: their numbers, and the administration of this deployment."""
