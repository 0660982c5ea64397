"""
The inbox over all contexts: one entry per conversation, written by the feeds of the contexts and read by `console`.

    head in the table of a context --stream of keys--> inbox feed of the context --> entry

An entry is a copy: `operations inbox rebuild` makes the same entries from the heads.
"""
