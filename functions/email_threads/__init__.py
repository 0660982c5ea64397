"""
Multi-turn e-mail: every mail in its conversation, every answer reviewed or safe.

This context parses mail, finds the thread it belongs to, and stores each mail once. Parsing is pure: it needs neither
AWS nor a network (`python -m email_threads.parsing FILE.eml`).

    raw mail -> parsing -> threading -> store
"""
