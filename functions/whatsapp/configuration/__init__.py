"""The AWS resources of the functions, and the folders of this context in the bucket."""
