"""The command line as a parser. The ten verbs take the parameters of the MCP tools, from the same table."""
from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from .. import __version__
from ..clients.catalogue import CLIENTS, WRITTEN
from ..clients.shape import REACHES
from ..params import Param
from ..tools import PROJECT, VERBS, Verb
from .answer import UsageError

# Words that people type for a verb.
MEANT = {"search": "retrieve", "recall": "retrieve", "query": "retrieve", "find": "retrieve", "ask": "retrieve", "add": "store", "remember": "store",
         "save": "store", "put": "store", "delete": "forget", "remove": "forget", "rm": "forget", "erase": "forget ID --erase", "ls": "list", "show": "inspect", "get": "inspect",
         "status": "health", "check": "health", "history": "timeline", "sleep": "consolidate", "explain": "why", "server": "serve",
         "start": "serve", "restore": "import", "dump": "export", "repair": "recover", "wipe": "erase-all", "reset": "erase-all", "projects": "project",
         "edit": "store", "update": "store", "pin": "reinforce", "web": "ui", "page": "ui", "open": "ui", "dashboard": "ui",
         "completions": "completion"}
WHY = next(v for v in VERBS if v.name == "retrieve")
# Verbs whose MCP tool sees the caller's project only; a person at a terminal may name another.
ELSEWHERE = ("forget", "inspect", "reinforce")
ABOUT = {
    "store": "keep a statement ('-' reads it from the standard input)", "retrieve": "recall what is known about a question",
    "consolidate": "sleep: episodes to facts, repeats merged, the faded archived", "forget": "archive a memory, or erase every trace of it",
    "inspect": "everything about one memory", "list": "browse memories", "stats": "counts", "health": "what works, what does not, and the remedy",
    "reinforce": "say how a memory turned out; pin or restore it", "timeline": "how a fact changed over time"}


class Parser(argparse.ArgumentParser):
    """Raises instead of ending the process, so that errors too can be one JSON value."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}. `{self.prog} --help` shows what is allowed.")


def build() -> tuple[Parser, dict[str, Parser]]:
    """The whole parser, and that of each command by its name."""
    top = Parser(prog="mnemos", description="The memory that coding agents keep between sessions.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"mnemos {__version__}")
    top.add_argument("--json", action="store_true", help="print exactly one JSON value")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    made: dict[str, Parser] = {}

    def command(name: str, about: str) -> Parser:
        made[name] = commands.add_parser(name, help=about, description=about[:1].upper() + about[1:] + ".", allow_abbrev=False)
        made[name].add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print exactly one JSON value")
        return made[name]

    for verb in VERBS:
        _verb(command(verb.name, ABOUT[verb.name]), verb)
    _verb(command("why", "recall, with every reason for each score"), WHY)
    _files(command)
    _others(command)
    _clients(command)
    return top, made


def _verb(parser: Parser, verb: Verb) -> None:
    for param in verb.params:
        if param.required:
            many = param.name in ("content", "query")
            parser.add_argument(param.name, metavar=param.name.upper(), nargs="+" if many else None, help=param.description)
        else:
            _option(parser, param)
    if verb.name in ELSEWHERE:
        _option(parser, PROJECT)
    if verb.name == "timeline":
        parser.add_argument("words", metavar="WORDS", nargs="*", help="the same as --query")
    if verb.name == "inspect":
        parser.add_argument("--full", action="store_true", help="show an endless text to its end")
    if verb.name == "forget":
        parser.add_argument("--yes", action="store_true", help="erase without asking")


def _option(parser: Parser, param: Param) -> None:
    flag = "--" + param.name.replace("_", "-")
    about = param.description + (f" ({', '.join(param.choices)})" if param.choices else "")
    about += f" [{param.default}]" if param.default not in (None, False, True) else ""
    shown = about.replace("%", "%%")
    match param.kind:
        case "boolean":
            action: Any = argparse.BooleanOptionalAction if param.default else "store_true"
            parser.add_argument(flag, dest=param.name, action=action, default=None, help=shown)
        case "strings":
            parser.add_argument(flag, dest=param.name, action="append", metavar="A,B", help=f"{shown}; comma-separated or repeated")
        case "objects":
            parser.add_argument(flag, dest=param.name, metavar="JSON", help=f"{shown}: a JSON list, '-' reads it from the standard input")
        case _:
            metavar = {"integer": "N", "time": "TIME"}.get(param.kind, "TEXT" if not param.choices else "WORD")
            parser.add_argument(flag, dest=param.name, metavar=metavar, help=shown)


def _files(command: Callable[[str, str], Parser]) -> None:
    export = command("export", "write memories and pending episodes to a JSON Lines file")
    export.add_argument("file", metavar="FILE", help="'-' is the standard output")
    export.add_argument("--scope", choices=("project", "workspace", "global"), help="only this scope")
    export.add_argument("--project", metavar="TEXT", help="only this project: a folder or a name")
    export.add_argument("--force", action="store_true", help="replace an existing file")
    take = command("import", "take memories from an export, or what was said and what failed from the session records of Claude Code and Codex")
    take.add_argument("file", metavar="FILE", help="an export (all of it or nothing), a session record, or a folder of records such as "
                      "~/.claude/projects or ~/.codex/sessions; '-' is the standard input")
    take.add_argument("--trust", action="store_true", help="words of the user and of agents keep their origin; failures of records are told when "
                      "the same command fails again")
    take.add_argument("--project", metavar="TEXT", help="what belongs to a project goes to this one instead of its own")
    backup = command("backup", "copy the database while others go on using it")
    backup.add_argument("file", metavar="FILE")
    backup.add_argument("--force", action="store_true", help="replace an existing file")
    recover = command("recover", "save what can be read of a damaged database into a new one")
    recover.add_argument("--check", action="store_true", help="only check every page and the word index")
    recover.add_argument("--yes", action="store_true", help="do not ask")
    erase = command("erase-all", "erase every memory of every project, with proof")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    sweep = command("sweep", "read everything stored again with today's firewall; erase or mask what it catches, with proof")
    sweep.add_argument("--dry-run", action="store_true", help="only say what would be erased or masked")
    command("reembed", "make the vectors that are missing for the embedder in use; can be stopped and started again")


def _others(command: Callable[[str, str], Parser]) -> None:
    command("serve", "the stdio MCP server (= mnemos-mcp)")
    command("demo", "a working day in memory: watch what is kept, changed and found; leaves nothing behind")
    ui = command("ui", "the page: see, search, change and take apart what is remembered")
    ui.add_argument("--port", metavar="N", type=int, default=0, help="port on 127.0.0.1 [any free one]")
    ui.add_argument("--no-open", dest="no_open", action="store_true", help="print the address, open no browser")
    completion = command("completion", "print a script that completes commands and options in your shell")
    completion.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")
    project = command("project", "which project this folder is; merge and split projects")
    project.add_argument("action", nargs="?", choices=("show", "merge", "split"), default="show")
    project.add_argument("names", metavar="PROJECT", nargs="*", help="merge A B: A counts as B; split A: take it out again")
    profile = command("profile", "print settings to start from, as a dotenv block")
    profile.add_argument("name", metavar="NAME", nargs="?", default="starter", choices=("starter", "local-performance"))


def _clients(command: Callable[[str, str], Parser]) -> None:
    setup = command("setup", "put the server and the hooks into a client's configuration, or take them out")
    setup.add_argument("client", metavar="CLIENT", choices=tuple(CLIENTS), help=", ".join(CLIENTS))
    setup.add_argument("--scope", choices=REACHES, default="user", help="all your projects, or this one [user]")
    setup.add_argument("--print", action="store_true", help="print the blocks to paste; write nothing")
    setup.add_argument("--dry-run", action="store_true", help="print a diff; write nothing")
    setup.add_argument("--remove", action="store_true", help="take out what setup put in, and nothing else")
    setup.add_argument("--rules", action="store_true", help="also a block in CLAUDE.md or AGENTS.md that tells agents when to recall and what to store")
    doctor = command("doctor", "send a canary through each configured client: captured, stored, recalled, injected, removed")
    doctor.add_argument("client", metavar="CLIENT", nargs="?", choices=WRITTEN, help=f"only this one: {', '.join(WRITTEN)}")


def read(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments. Raises UsageError that names the likely meant command or option."""
    top, made = build()
    words = [_dashed(word) for word in argv]
    name = next((word for word in words if not word.startswith("-")), None)
    if name is not None and name not in made:
        near = MEANT.get(name) or next(iter(get_close_matches(name, made, 1)), "")
        raise UsageError(f"There is no command '{name[:40]}'." + (f" Did you mean `mnemos {near}`?" if near else f" Commands: {', '.join(made)}."))
    known = top if name is None else made[name]
    end = words.index("--") if "--" in words else len(words)
    for word in words[:end]:
        _check_option(word, known, name)
    args, left = top.parse_known_args(words[:end] + list(argv)[end:])
    left = [word for word in left if word != "--"]
    if left:
        raise UsageError(f"'{left[0][:40]}' is one argument too many for `mnemos {name}`.")
    return args


def _dashed(word: str) -> str:
    """--valid_from as --valid-from: the parameters are written so everywhere else."""
    if not word.startswith("--") or " " in word:
        return word
    option, equals, value = word.partition("=")
    return option.replace("_", "-") + equals + value


def _check_option(word: str, parser: Parser, command: str | None) -> None:
    option = word.partition("=")[0]
    if not option.startswith("--") or option == "--" or any(c.isspace() for c in option):
        return
    known = [text for action in parser._actions for text in action.option_strings] + ["--version"]
    if option in known:
        return
    near = get_close_matches(option, known, 1)
    taker = f"`mnemos {command}`" if command else "`mnemos`"
    meant = f" Did you mean {near[0]}?" if near else f" It takes: {', '.join(k for k in known if k.startswith('--') and k not in ('--help', '--version'))}."
    raise UsageError(f"{taker} has no option {option[:40]}.{meant}")
