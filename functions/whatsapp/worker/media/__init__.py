"""Download of media files and the limits of their types."""
