"""Lists of conversations: the open and ended ones of a project, and the rows of the inbox over all contexts."""
