"""Objects of the bucket: their folders, values too large for an item, and replaced content."""
