"""Commands about access: API keys, people who log in, and owners of provider ids."""
