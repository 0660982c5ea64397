"""The lexicons of the classifier: words, patterns and learned evidence."""
