"""A bucket in memory in place of S3."""


class Bucket(dict[tuple[str, str], tuple[bytes, str]]):
    """(bucket, key) -> (content, content type)."""

    def put(self, bucket: str, key: str, content: bytes, content_type: str) -> None:
        """Store an object."""
        self[bucket, key] = (content, content_type)
