"""
The console's own routes: reads the inbox over all contexts.

Never reads or changes a conversation: the contexts do, by their own APIs.
"""
