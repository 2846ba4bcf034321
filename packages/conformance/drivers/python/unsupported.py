class Unsupported(Exception):
    """The SDK has no such thing. The driver answers `unsupported`, which is not a failure."""
