"""The draft of a newsletter: its generation by a model, and changes by people."""
