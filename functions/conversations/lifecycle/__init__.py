"""A loaded conversation, its status and status changes, and the queue records that continue it."""
