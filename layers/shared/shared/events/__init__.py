"""Events on queues: the exchanged ones, those of one context, their versions and bodies."""
