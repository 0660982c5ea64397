"""Contents of tables: item classes, leases, counted attempts, and JSON values."""
