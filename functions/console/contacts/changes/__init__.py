"""Changes of contacts by people: details, identifiers, merges, notes, attributes, consent."""
