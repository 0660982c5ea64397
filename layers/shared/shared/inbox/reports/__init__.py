"""Counts of conversations by day and by person, in the days and business hours of their company."""
