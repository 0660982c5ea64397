"""What is stored of a contact, page by page, and what an erasure does with each kind of item."""
