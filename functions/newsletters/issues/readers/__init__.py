"""Actions of readers without a login: sign up, confirm, choose, and read earlier issues."""
