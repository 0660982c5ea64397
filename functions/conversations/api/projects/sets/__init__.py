"""Sets of scenarios of a project: routes, and what they store and start."""
