"""Parts of texts that checks compare: links, and placeholders, amounts and numbers; the language of a text."""
