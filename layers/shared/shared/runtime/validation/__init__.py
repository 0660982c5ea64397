"""What settings and inputs are checked with: patterns, time zones, web addresses, and the broken rules in words."""
