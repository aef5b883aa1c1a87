"""What a reply says beside its answer: that the file was changed under this process, that a project's name is new here, that words wait for sleep."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .place import Place

if TYPE_CHECKING:
    from .storage.sqlite import SqliteStore

NEAR = 0.7  # likeness by difflib from which one name may be a slip for another: "mnemso" and "mnemos" have 0.83
NAMED = 3  # names that a remark gives


def joined(*remarks: str) -> str:
    """The remarks that say something, as one note."""
    return "; ".join(filter(None, remarks))


class Remarks:
    """The remarks of one engine."""

    def __init__(self, store: SqliteStore):
        self._store, self._said = store, ""

    def moved(self) -> str:
        """What happened to the file under this process: once, in the reply that follows it. Where files lie is for health only."""
        moved = self._store.moved
        if moved == self._said:
            return ""
        self._said = moved
        return joined(*(part for part in moved.split("; ") if os.sep not in part), "mnemos_health says more")

    def strange(self, place: Place, *, writing: bool = False, own: bool = False) -> str:
        """'' for a project that this file knows, or that is the one of a folder; else that the folder is not there, or that the name is new and which
        known ones are like it. Who writes under a new name, or has it for their own, is told only of one that it may be a slip for."""
        gone = place.how == "folder" and not os.path.isdir(place.root)
        if not (gone or place.how == "name") or not place.identity or self._store.knows(place.identity):
            return ""
        if gone:
            return f"{'new ' * writing}project '{place.name}': the folder does not exist"
        near = near_names(place.name, [project["name"] for project in self._store.projects()])
        if writing:
            return f"new project '{place.name}'; did you mean {near}?" if near else ""
        return "" if own and not near else f"the project '{place.name}' is unknown here" + (f"; did you mean {near}?" if near else "")

    def waiting(self, projects: Sequence[str]) -> str:
        """How much of what was said in sessions may become facts at the next sleep."""
        number = self._store.waiting(projects) if projects else 0
        return f"{number} statement{'s' if number > 1 else ''} from sessions wait{'' if number > 1 else 's'} for sleep (mnemos_consolidate)" if number else ""


def near_names(name: str, known: Sequence[str]) -> str:
    """Known names that this one may be a slip for, quoted; '' when none is like it."""
    from difflib import get_close_matches  # only when a name is new
    folded = {one.casefold(): one for one in known if one.casefold() != name.casefold()}
    return " or ".join(f"'{folded[one]}'" for one in get_close_matches(name.casefold(), folded, NAMED, NEAR))
