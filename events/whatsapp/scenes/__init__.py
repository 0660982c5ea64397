"""The scenes of the day at acme; every scene is a function that lists its samples."""
