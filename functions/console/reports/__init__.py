"""Reports: counts of conversations by day and by person, the age of open ones, and the company's business hours."""
