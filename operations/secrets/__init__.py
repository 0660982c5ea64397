"""The secrets of a deployment and of its companies: one field is written at a time, without JSON by hand."""
