"""The scripted model as a writer of newsletters: extracts sentences of the passages, without a clock or chance."""
