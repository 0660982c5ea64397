"""Templates of automatic replies: their texts, languages and variables."""
