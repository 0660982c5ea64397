"""Configuration of the context: AWS resources, settings of projects and the names that they own."""
