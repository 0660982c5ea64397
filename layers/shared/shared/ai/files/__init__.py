"""Files for models: which of them a model reads, what happens if it refuses them, and speech as text."""
