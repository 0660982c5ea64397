"""The reply templates, their variables and the checks of a filled reply."""
