"""What a project's answers find in the company's documents: searches as the model makes them, and kept questions."""
