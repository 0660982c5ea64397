"""Resources of this context's functions: tables, buckets, queues."""
