"""What limits the sending of an issue: the account's rate, and bounces and complaints."""
