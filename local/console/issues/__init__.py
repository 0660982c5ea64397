"""Sample issues in six languages, and pictures of them as readers see them."""
