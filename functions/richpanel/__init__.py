"""
The help-desk middleware: routes and tags each customer message once, and answers it only if that is safe.

This context owns the rp_mw_* tables and the richpanel queues. It decides which team handles a ticket, and stores
little. It never refunds, cancels or edits an order, never answers messages reserved for human agents, and never stores
a customer's text.
"""
