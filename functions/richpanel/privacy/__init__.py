"""Erases and exports what the middleware keeps of a customer: tickets by their ids, counts by the address."""
