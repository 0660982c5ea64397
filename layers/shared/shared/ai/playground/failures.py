"""Why a try has no answer."""


class ModelUnavailable(Exception):
    """The model does not answer now; a repeat may work. The message is a code."""


class ModelUnusable(Exception):
    """The model, its secret or the documents cannot be used with the settings. The message is a code."""
