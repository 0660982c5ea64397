"""The providers of models, and how each is called."""
