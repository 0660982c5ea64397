"""The text of sections: Markdown from blocks, its tokens, and inline parts."""
