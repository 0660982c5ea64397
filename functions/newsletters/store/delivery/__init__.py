"""Who sends issues now, and how many mails a domain may send while it is new."""
