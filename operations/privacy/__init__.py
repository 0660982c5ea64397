"""Commands that erase and export personal data."""
