"""Groups that the business manages, and calls."""
