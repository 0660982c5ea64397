"""
The web console: serves its pages, what they need to know to sign in, and the inbox over all contexts.

Never reads or changes a conversation: the contexts do, by their own APIs, which other software may call too.
"""
