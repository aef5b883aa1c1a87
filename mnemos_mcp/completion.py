"""Completion of commands, options and their words for bash, zsh and fish, written out from the parsers: what is offered is what is taken."""
from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

Parsers = Mapping[str, argparse.ArgumentParser]


def script(shell: str, parsers: Parsers) -> str:
    """The script for one shell, with how to load it in its first lines."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parsers)


def _options(parser: argparse.ArgumentParser) -> list[tuple[str, str, tuple[str, ...]]]:
    """(option, what it is for, its words) of each long option."""
    return [(text, _line(action.help), _words(action)) for action in parser._actions for text in action.option_strings if text.startswith("--")]


def _words(action: Any) -> tuple[str, ...]:
    """Words that an argument takes: argparse's own, or those that its help names in its last brackets."""
    if action.choices:
        return tuple(map(str, action.choices))
    if action.metavar != "WORD":
        return ()
    inside = (action.help or "").split(" [")[0].rpartition("(")[2].rstrip(")")
    return tuple(word.strip() for word in inside.split(","))


def _places(parser: argparse.ArgumentParser) -> tuple[tuple[str, ...], bool]:
    """Words that the arguments without an option take, and whether one of them is a file."""
    free = [a for a in parser._actions if not a.option_strings]
    return tuple(word for a in free for word in _words(a)), any(a.dest == "file" for a in free)


def _line(text: str | None) -> str:
    return (text or "").replace("%%", "%").replace("\n", " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _bash(parsers: Parsers) -> str:
    lines = ["# mnemos completion for bash: add to ~/.bashrc", '#   eval "$(mnemos completion bash)"', "_mnemos() {",
             "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i", "  COMPREPLY=()",
             "  for ((i = 1; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} != -* ]] && { command=${COMP_WORDS[i]}; break; }; done",
             "  local words= options= files=", '  case "$command:$before" in']
    for name, parser in parsers.items():
        lines += [f"    {name}:{option}) words={_quoted(' '.join(words))} ;;" for option, _, words in _options(parser) if words]
    lines += ["  esac", "  if [[ -n $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); return; fi", '  case "$command" in',
              f"    '') words={_quoted(' '.join(parsers))} options='--json --help --version' ;;"]
    for name, parser in parsers.items():
        words, file = _places(parser)
        options = " ".join(option for option, _, _ in _options(parser))
        lines.append(f"    {name}) options={_quoted(options)} words={_quoted(' '.join(words))} files={'1' if file else ''} ;;")
    lines += ["  esac", '  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))',
              '  else COMPREPLY=($(compgen -W "$words" -- "$word")); [[ -n $files ]] && COMPREPLY+=($(compgen -f -- "$word")); fi', "}",
              "complete -o filenames -F _mnemos mnemos"]
    return "\n".join(lines)


def _zsh(parsers: Parsers) -> str:
    def described(name: str, about: str) -> str:
        return _quoted(f"{name}:{about.replace(':', chr(92) + ':')}" if about else name)

    commands = " ".join(described(name, _line(parser.description)) for name, parser in parsers.items())
    lines = ["#compdef mnemos", "# mnemos completion for zsh: add to ~/.zshrc, after compinit", '#   eval "$(mnemos completion zsh)"', "_mnemos() {",
             "  local command word before=${words[CURRENT-1]}", "  local -a commands options places",
             "  for word in ${words[2,CURRENT-1]}; do [[ $word != -* ]] && { command=$word; break }; done", f"  commands=({commands})",
             "  if [[ -z $command ]]; then _describe command commands; return; fi", '  case "$command:$before" in']
    for name, parser in parsers.items():
        lines += [f"    {name}:{option}) places=({' '.join(map(_quoted, words))}); _describe word places; return ;;" for option, _, words in _options(parser) if words]
    lines += ["  esac", "  case $command in"]
    for name, parser in parsers.items():
        words, file = _places(parser)
        options = " ".join(described(option, about) for option, about, _ in _options(parser))
        lines.append(f"    {name}) options=({options}); places=({' '.join(map(_quoted, words))}){'; _files' if file else ''} ;;")
    lines += ["  esac", "  [[ ${words[CURRENT]} == -* ]] && _describe option options || { (( $#places )) && _describe word places }", "}", "compdef _mnemos mnemos"]
    return "\n".join(lines)


def _fish(parsers: Parsers) -> str:
    lines = ["# mnemos completion for fish: save as ~/.config/fish/completions/mnemos.fish", "complete -c mnemos -f"]
    for name, parser in parsers.items():
        lines.append(f"complete -c mnemos -n __fish_use_subcommand -a {name} -d {_fished(_line(parser.description))}")
        inside = f"complete -c mnemos -n '__fish_seen_subcommand_from {name}'"
        for option, about, words in _options(parser):
            taken = f" -x -a {_fished(' '.join(words))}" if words else ""
            lines.append(f"{inside} -l {option[2:]} -d {_fished(about)}{taken}")
        words, file = _places(parser)
        lines += [f"{inside} -a {_fished(' '.join(words))}"] if words else []
        lines += [f"{inside} -F"] if file else []
    return "\n".join(lines)


def _fished(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
