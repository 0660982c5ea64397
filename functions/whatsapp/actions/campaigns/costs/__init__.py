"""What the provider charges for the messages of a campaign: prices, and estimates before the start."""
