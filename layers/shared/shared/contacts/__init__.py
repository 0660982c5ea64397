"""Lists of contacts, and their members as campaigns and newsletters read them."""
