"""Analysis: what a customer's mail asks for, what is missing, and the draft of an answer, by a language model."""
