"""What readers do without a login: sign up, confirm, choose, and read earlier issues."""
