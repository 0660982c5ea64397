"""
The states of a parked event.

    open --replay n--> replayed --handled--> resolved
     ^                     |
     +-- parked again -----+-- parked again as another event --> replaced

`conversations` writes a new item each time that it parks an event, so its events end as `replayed`.
"""

OPEN, REPLAYED, RESOLVED, REPLACED = "open", "replayed", "resolved", "replaced"
