"""Set up in the browser: the first administrator, the company, its people, and the credentials of its channels."""
