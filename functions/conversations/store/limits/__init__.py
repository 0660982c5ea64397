"""Items that limit a project: active conversations, use of quotas, and slots of concurrent reply turns."""
