"""Queue records that continue a conversation: commands, reply triggers, downloads of files, steps of evaluations."""
