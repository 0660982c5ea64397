"""Meta's client of the data endpoint of forms: encrypts and signs requests, and reads the answers."""
