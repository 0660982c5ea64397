"""
The audit log: one item for each change that a person or a program makes over an API, without content.

    begin (open) --> change --> end (made, refused, failed)

The item is written before the change, so a change without an item does not exist. A crash between change and end, or a
failed end, leaves it open: the change may have been made.
"""
