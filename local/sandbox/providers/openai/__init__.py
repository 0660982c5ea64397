"""The sandbox's OpenAI API."""
