"""The versions of a project's settings: their history, their evaluations with scenarios, and trials with customers."""
