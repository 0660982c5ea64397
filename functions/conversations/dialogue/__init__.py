"""Use cases of the channel queues and the reply queue: first message, reply, agent message, approval."""
