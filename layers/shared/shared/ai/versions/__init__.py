"""
Immutable versions of the settings of a model: of a project, a mailbox, a shop and a company's newsletters.

The owner's own item has the settings of one version and its number: the live one. A worker reads that item only.
"""
