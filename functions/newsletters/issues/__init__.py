"""Issues: newsletters sent to an audience, each person once, and the links by which readers leave."""
