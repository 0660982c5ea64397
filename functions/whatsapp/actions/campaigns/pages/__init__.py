"""Pages of a campaign: recipients, cut into pages and sent to once."""
