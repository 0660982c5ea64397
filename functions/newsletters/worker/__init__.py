"""The workers of the two queues."""
