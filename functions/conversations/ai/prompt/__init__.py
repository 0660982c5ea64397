"""The system prompt, and the parts of it that come from the project's templates."""
