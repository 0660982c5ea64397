"""Gateways to providers: each call is one attempt and returns a result or raises an exception of `outcomes`."""
