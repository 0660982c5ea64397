"""
Tries of a model's settings without sending or storing: what the model reads and writes, and real messages without the
person in them.

What a try is, a message or a decision, stays in the context.
"""
