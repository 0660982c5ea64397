"""Owners of customers' numbers: who has a number, at one business number and over all of a company."""
