"""The body of a mail: its parts, HTML, attachments, and the text of a reply."""
