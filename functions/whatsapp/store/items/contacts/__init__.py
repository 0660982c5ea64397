"""Items of customers: their ids, links, data and privacy jobs."""
