"""The one error that is the fault of the file, not of the processor."""


class Unreadable(Exception):
    """A file cannot be read as what it should be; the message says why, in words for the caller."""
