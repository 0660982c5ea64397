"""The command line of all commands: arguments, errors, and the local stack as a deployment."""
