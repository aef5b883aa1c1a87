"""Completion scripts in the shells that are here: what they offer is what the command line takes."""
from __future__ import annotations

import shutil
import subprocess

import pytest

from mnemos_mcp.commands.arguments import build
from mnemos_mcp.completion import script

PARSERS = build()[1]
BASH = """{script}
offer() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mnemos; echo "${{COMPREPLY[@]}}"; }}
offer {words}
"""


def offered(words: str) -> list[str]:
    done = subprocess.run(["bash", "--norc", "-c", BASH.format(script=script("bash", PARSERS), words=words)], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
@pytest.mark.parametrize(("words", "expected"), [
    ("mnemos tim", ["timeline"]), ("mnemos ''", list(PARSERS)), ("mnemos list --status ''", ["active", "archived", "superseded", "all"]),
    ("mnemos ui --no", ["--no-open"]), ("mnemos completion z", ["zsh"]), ("mnemos --json reinf", ["reinforce"]), ("mnemos retrieve --mode se", ["semantic"])])
def test_bash_offers_what_fits(words, expected):
    assert offered(words) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_sound_and_names_every_command_and_option(shell):
    text = script(shell, PARSERS)
    for name, parser in PARSERS.items():
        assert name in text
        for action in parser._actions:
            assert all(option[2:] in text for option in action.option_strings if option.startswith("--"))
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stderr) == (0, "")
