"""What the functions of this context share: tables, buckets, queues."""
