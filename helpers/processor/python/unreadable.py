
class Unreadable(Exception):
    """A file is invalid. The message tells the caller why."""
