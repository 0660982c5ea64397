"""The language of a text, by its letters and frequent function words."""
