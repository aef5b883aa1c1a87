"""Project, workspace, global: how a project is named for ever, and who may see what. Pure; standard library and model.py only.

Identity of a project is one of
  git:host/owner/repo   normalised remote: the same for ssh and https, with and without user, token, default port, ".git"
  root:<commit>         first commit of a full clone without a remote
  dir:<hash>            real path of a folder (16 hex digits of SHA-256)
  name:<name>           a name given by the user
Sources: git-clone(1) "GIT URLS" for the forms of a remote, RFC 3986 section 3.2 for the authority part.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args

from ..errors import BadInput
from ..scope import GLOBAL, Level, Scope
from .lazy import Lazy

CaptureMode = Literal["all", "manual_only", "hooks_only"]
LEVELS: tuple[str, ...] = get_args(Level)
CAPTURE_MODES: tuple[str, ...] = get_args(CaptureMode)
IDENTITY_FORMS = ("git:", "root:", "dir:", "name:")

_DEFAULT_PORTS = {"https": "443", "http": "80", "ssh": "22", "git": "9418", "ftp": "21", "ftps": "990"}
# Hosts that serve one repository under several names (ssh over the https port, www).
_SAME_HOST = {"ssh.github.com": "github.com", "www.github.com": "github.com", "altssh.gitlab.com": "gitlab.com",
              "altssh.bitbucket.org": "bitbucket.org", "ssh.dev.azure.com": "dev.azure.com"}
# Hosts on which Team/App and team/app are one repository; elsewhere the case of the path counts.
_CASELESS_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com"})
# "github.com-work" is no domain: it is the usual Host alias of ~/.ssh/config for a second account.
_ACCOUNT_ALIAS = Lazy(r"(github\.com|gitlab\.com|bitbucket\.org)-[\w.-]+")
_DRIVE = Lazy(r"[A-Za-z]:($|[\\/])")
_LONGEST = 2000  # characters of a remote that are read


class Governance(NamedTuple):
    """Rules of one scope: who may write, days until archived (0 = never), memories at most (0 = no limit)."""

    capture_mode: CaptureMode = "all"
    retention_days: int = 0
    cap: int = 0

    def admits(self, door: Literal["manual", "hook"]) -> bool:
        """May this door write? "manual" is an explicit store, "hook" is automatic capture."""
        return self.capture_mode == "all" or self.capture_mode == ("manual_only" if door == "manual" else "hooks_only")


def at_least_as_strict(mode: str, than: str) -> bool:
    """Does capture mode `mode` let in nothing that `than` keeps out? The two partial modes do not compare."""
    return mode == than or than == "all"


def visible(projects: Sequence[str], workspaces: Sequence[str] = (), asked: Sequence[str] = ()) -> tuple[Scope, ...]:
    """Scopes a caller may read from a project with these identities (none: no project): those of `asked` (empty = all levels) that exist for it. BadInput on an unknown level."""
    unknown = [level for level in asked if level not in LEVELS]
    if unknown:
        raise BadInput(f"Unknown scope '{unknown[0][:40]}'. Allowed: {', '.join(LEVELS)}.")
    wanted = asked or LEVELS
    scopes: list[Scope] = []
    if "project" in wanted:
        scopes += [Scope("project", identity) for identity in projects]
    if "workspace" in wanted:
        scopes += [Scope("workspace", name) for name in dict.fromkeys(workspaces)]
    if "global" in wanted:
        scopes.append(GLOBAL)
    return tuple(scopes)


def is_no_project(path: str, home: str) -> bool:
    """A home folder, "/" or a drive root is no project. Both paths are real paths; an empty home is unknown."""
    bare = path.rstrip("/\\")
    return bare == "" or re.fullmatch(r"[A-Za-z]:", bare) is not None or (bool(home) and bare == home.rstrip("/\\"))


def _sha256() -> Callable[[bytes], Any]:
    """Python's own: hashlib loads OpenSSL's library first, for which every prompt in a folder without a remote would wait 4 ms."""
    for module in ("_sha2", "_sha256"):
        try:
            found: Callable[[bytes], Any] = import_module(module).sha256
            return found
        except (ImportError, AttributeError):
            continue
    from hashlib import sha256
    return sha256


def folder_identity(real_path: str) -> str:
    """Identity of a folder by its real path. Composed and decomposed spellings of a path are one folder."""
    return "dir:" + _sha256()(plain(real_path.rstrip("/\\") or real_path).encode()).hexdigest()[:16]


def name_identity(name: str) -> str:
    """Identity of a project that is only a name: spacing and capitals do not count. BadInput when nothing is left."""
    words = " ".join(plain(name).split())[:200]
    if not words:
        raise BadInput("A project name needs at least one visible character.")
    return "name:" + words.casefold()


def given_identity(text: str) -> str:
    """An identity as someone typed it, in its one spelling. BadInput when it is none."""
    form, _, rest = plain(text).strip().partition(":")
    if form == "name":
        return name_identity(rest)
    # The port that an identity keeps is never a default one, so a scheme without default gives it back as it is.
    identity = remote_identity(f"identity://{rest}") if form == "git" else f"{form}:{rest.strip()[:100]}"
    if not identity or (form != "git" and not re.fullmatch(r"(root|dir):[0-9a-f]{6,64}", identity)):
        raise BadInput(f"'{form}:' needs more. A project is a folder, a name, or git:host/owner/repo, root:<commit>, dir:<hash>, name:<name>.")
    return identity


def display_name(identity: str, root: str = "") -> str:
    """What a person calls the project: the repository, the folder or the given name."""
    form, _, rest = identity.partition(":")
    if form in ("git", "name"):
        return rest.rsplit("/", 1)[-1] if form == "git" else rest
    parts = [part for part in re.split(r"[/\\]", plain(root)) if part and part not in (".git", ".bare")]
    return (parts[-1].removesuffix(".git") if parts else "") or rest[:12]


def remote_identity(url: str) -> str:
    """Identity of a remote, "" when it names no host and repository (a local path, an empty text). Never raises.

    User, password, token, query and fragment never survive. A secret that is itself a part of the path cannot be told from one.
    """
    text = _without_helper(plain(url)[:_LONGEST].strip())
    if local_path(text):
        return ""
    scheme, host, path = _split_url(text) if "://" in text else _split_scp(text)
    host, port = _host_and_port(host)
    host = _SAME_HOST.get(host, host)
    alias = _ACCOUNT_ALIAS.fullmatch(host)
    host = alias[1] if alias else host
    path = _repository_path(path, host, decode=scheme != "scp")
    if not host or not path:
        return ""
    # ssh.github.com listens on 443: on a host with one name left, the port says nothing.
    kept = f":{port}" if port and port != _DEFAULT_PORTS.get(scheme) and host not in _CASELESS_HOSTS else ""
    return f"git:{host}{kept}/{path}"


def local_path(url: str) -> str:
    """The folder that a remote names on this machine, "" when it names a host."""
    text = _without_helper(url.strip())
    if text[:7].lower() == "file://":
        rest = text[7:]
        return rest if rest.startswith("/") else rest[max(rest.find("/"), 0):]
    if not text or "://" in text or text.startswith("\\\\"):
        return ""
    if text[0] in "/.~" or _DRIVE.match(text):
        return text
    return "" if ":" in text.split("/", 1)[0] else text


def hub_identity(real_path: str) -> str:
    """Identity of a bare repository on this machine that others push to and clone from."""
    path = re.sub(r"/+", "/", plain(real_path).replace("\\", "/")).strip("/").removesuffix(".git").rstrip("/")
    return f"git:localhost/{path}"


def plain(text: str) -> str:
    """Composed Unicode without control characters and without halves of a surrogate pair."""
    if text.isascii() and text.isprintable():
        return text
    from unicodedata import category, normalize
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in normalize("NFC", whole) if category(c) not in ("Cc", "Cs"))


def _without_helper(text: str) -> str:
    return re.sub(r"^[A-Za-z0-9+.-]+::", "", text)


def _split_url(text: str) -> tuple[str, str, str]:
    """scheme://user:token@host:port/path -> scheme, host:port, path."""
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower().removeprefix("git+").removesuffix("+git")
    authority, _, path = rest.partition("/")
    login, authority = authority.rpartition("@")[::2]
    plausible = re.fullmatch(r"[^:?#]+(:\d*)?|\[.*\](:\d*)?", authority) and not (login and re.search(r"[^/]@[^/@]+\.[^/@]+/", path))
    if "@" in path and not plausible:
        # A password with a bare "/" in it: what looks like host and port is a part of the secret.
        authority, _, path = rest.rpartition("@")[2].partition("/")
    authority = re.split(r"[?#]", authority, maxsplit=1)[0]
    return scheme, authority, re.split(r"[?#]", path, maxsplit=1)[0]


def _split_scp(text: str) -> tuple[str, str, str]:
    """user@host:path -> "scp", host, path. Also [user@host:port]:path and the pasted user:token@host/path."""
    if text.startswith("\\\\"):
        host, _, path = text.lstrip("\\").replace("\\", "/").partition("/")
        return "scp", host, path
    bracket = re.fullmatch(r"(?:[^/\[]*@)?\[([^\]]*)\]:(.*)", text)
    if bracket:
        inner = bracket[1].rpartition("@")[2]
        return "ssh", f"[{inner}]" if inner.count(":") > 1 else inner, bracket[2]
    first, slash, rest = text.partition("/")
    user, at, after = first.partition("@")
    if at and ":" in user:
        after = first.rpartition("@")[2]
    host, colon, path = (after if at else first).partition(":")
    path = path + slash + rest if colon else rest
    return "scp", host.rpartition("@")[2], re.split(r"[?#]", path, maxsplit=1)[0]


def _host_and_port(authority: str) -> tuple[str, str]:
    """Host in lower case and its port, "" when there is none. What is no number after the colon is dropped: it may be a secret."""
    found = re.fullmatch(r"(\[[0-9A-Fa-f:.%]*\]|[^:\[\]?#@\s]*)(?::(.*))?", authority)
    if not found:
        return "", ""
    port = found[2] or ""
    return found[1].strip().lower().rstrip("."), port.lstrip("0") if port.isascii() and port.isdigit() else ""


def _repository_path(path: str, host: str, *, decode: bool) -> str:
    if decode and "%" in path:
        from urllib.parse import unquote
        path = plain(unquote(path))
    parts = [part.strip() for part in path.replace("\\", "/").split("/")]
    parts = [part for part in parts if part not in ("", ".", "..")]
    if host == "dev.azure.com":
        parts = [part for part in parts[parts[:1] == ["v3"]:] if part != "_git"]
    joined = "/".join(parts)
    while joined.endswith((".git", "/")):
        joined = joined.removesuffix(".git").rstrip("/")
    return joined.lower() if host in _CASELESS_HOSTS else joined
