"""What becomes of drafts: how much people change, and what counts for a trial."""
