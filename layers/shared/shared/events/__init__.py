"""Events on queues: exchanged ones, events of one context, their versions and bodies."""
