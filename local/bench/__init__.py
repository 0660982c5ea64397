"""
`make bench`: the cost of the functions before and while they handle events, compared with minimal functions.

Everything runs from the built artifact. Absolute numbers depend on the machine, so each is shown beside a bare or a
plain function, measured alternately with it.
"""
