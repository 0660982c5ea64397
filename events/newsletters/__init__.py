"""Sample documents of newsletters."""
