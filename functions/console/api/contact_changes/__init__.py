"""Changes of contacts: what people store about a person, its identifiers, merges and their ends."""
