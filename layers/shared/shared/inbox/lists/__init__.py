"""Lists of entries: of a company, of an agent and of a contact, and the partitions that share a company's lists."""
