"""Threads that belong together: merged, split, or continued in another one."""
