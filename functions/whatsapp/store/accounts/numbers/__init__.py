"""The business's numbers: their settings, owners, profiles and refreshes."""
