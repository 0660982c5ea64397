"""Items of counts, exports and scheduled jobs."""
