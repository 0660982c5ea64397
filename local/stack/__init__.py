"""The local stack: environments, build, deployment, processes, shutdown."""
