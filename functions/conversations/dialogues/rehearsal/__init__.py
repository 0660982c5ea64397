"""A world for dialogues with the real turn of the model and nothing else: nothing is stored, sent or called."""
