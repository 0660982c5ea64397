"""The admin API of the help desk: switches, decisions, replay, health."""
