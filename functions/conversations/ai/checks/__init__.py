"""Checks of a model's answer before it is used: guardrails, faults and language."""
