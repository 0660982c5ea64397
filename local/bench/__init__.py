"""
`make bench`: what the functions cost before and while they handle events, next to the least that would do.

Everything runs from the built artifact. Numbers of one machine are worth little by themselves, so each stands beside
that of a bare or a plain function, measured in turns with it.
"""
