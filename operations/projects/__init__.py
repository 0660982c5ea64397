"""The settings of projects: checked and stored."""
