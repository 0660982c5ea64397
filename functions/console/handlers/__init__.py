"""The Lambda functions of this context."""
