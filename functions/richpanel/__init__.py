"""
The help-desk middleware: each customer message routed, tagged and, only when that is safe, answered, once.

This context owns the rp_mw_* tables and the richpanel queues. It decides who should handle a ticket, and remembers
little. It never refunds, cancels or edits an order, never answers what only people may answer, and never keeps what a
customer wrote.
"""
