"""The read API of the inbox and its analytics: queries and views."""
