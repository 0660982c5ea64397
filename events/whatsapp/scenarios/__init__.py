"""The scenarios of the day at acme; every scenario is a function that lists its samples."""
