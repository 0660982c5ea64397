"""Stages of Parley in an account: their deletion."""
