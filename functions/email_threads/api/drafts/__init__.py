"""Drafts over HTTP: composed, amended, approved, rejected; mails that begin a thread; files to attach."""
