"""Messages of templates, by kind."""
