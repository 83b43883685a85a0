"""The error for invalid files."""


class Unreadable(Exception):
    """A file is not what it should be. The message tells the caller why."""
