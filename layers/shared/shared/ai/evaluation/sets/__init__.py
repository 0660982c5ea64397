"""
Stored sets of scenarios and their runs, in the table of the context whose settings are evaluated.

    items     what is stored
    stored    reads and writes it
    runs      plays one scenario of a run in a worker
    calls     what the API of a context does
"""
