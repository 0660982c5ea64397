"""Items of replies: drafts, edits of a day, and scheduled sends."""
