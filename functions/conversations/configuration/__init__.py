"""Configuration of the context: AWS resources, settings of projects, their secrets and the names that they own."""
