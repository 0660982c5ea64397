"""Items that sending needs: intents and canned replies."""
