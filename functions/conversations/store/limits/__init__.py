"""Items that limit a project: use of quotas, and slots of concurrent reply turns."""
