"""Registration of numbers: at the provider, here, and the proofs and pins that it needs."""
