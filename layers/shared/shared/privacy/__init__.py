"""Erasure and export of a person: the engine of all contexts, jobs, requests, receipts and folders of exports."""
