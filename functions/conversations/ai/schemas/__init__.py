"""JSON Schemas: parameters of functions that projects define, and the form of the model's answer."""
