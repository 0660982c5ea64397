"""Customers: their ids, links, consent and addresses, blocked users, and jobs that export or erase them."""
