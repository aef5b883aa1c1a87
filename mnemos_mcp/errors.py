"""The few kinds of failure that cross a border. What can be expected (refused, not news, not found) is a value, not an error."""


class MnemosError(Exception):
    """A failure with a sentence for the caller: what is wrong and what is allowed. Every door turns it into its own form once."""


class BadInput(MnemosError):
    """A value outside what the contract allows; the message names the allowed ones."""


class NotFound(MnemosError):
    """No memory answers to this id from here. An id of another project answers the same."""


class Ambiguous(MnemosError):
    """An id prefix that fits several memories; `candidates` are their ids."""

    def __init__(self, prefix: str, candidates: list[str]):
        super().__init__(f"'{prefix}' fits {len(candidates)} memories: {', '.join(candidates[:8])}. Give more characters of the id.")
        self.candidates = candidates


class StoreUnavailable(MnemosError):
    """The file cannot be opened, read or written; the message names the file and the remedy."""


class EmbedderUnavailable(MnemosError):
    """No vector now; the text is saved and found by keyword, its vector comes later."""


class LLMUnavailable(MnemosError):
    """No judgement from the model now; the rule decides."""
