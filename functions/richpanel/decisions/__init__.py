"""
The decision on a customer's message: its team, its tags, whether an automatic reply is allowed, and the reason.

Pure: no AWS, no network, no clock. The classifier interprets the text, the clients read the order, and the worker
executes the decision. `engine.decide` is the entry point.

The engine is not imported here: modules that need only the switches or the facts must not incur its cost.
"""
