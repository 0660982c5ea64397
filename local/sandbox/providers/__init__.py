"""The simulated providers, one package each."""
