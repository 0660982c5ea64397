"""What tables hold: item classes, leases, counted attempts, and JSON values."""
