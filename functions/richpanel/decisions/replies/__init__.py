"""The reply templates, the selection of an order reply, and its verification."""
