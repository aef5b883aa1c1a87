"""Only the paragraphs of another reading in which something reads differently are searched again: they must hold all that the whole would show."""
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.firewall import Firewall
from mnemos_mcp.mechanisms.firewall_views import changed, grouped_view, plain_view, wrapped_view

PLAIN = "(The importer reads the file twice.\nOnce for the header, once for the rows.\n\nif a < b:\n    return a\n\n" * 12
LINES = "\n".join("".join(random.Random(n).choices("ABCDEFGHIJabcdefghij0123456789+/", k=64)) for n in range(12))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{LINES}\n-----END RSA PRIVATE KEY-----"
HIDDEN = {
    "zero width": "password: hU7x\u200bk2Pq9w", "in the name": "pass\u200bword: hU7xk2Pq9w", "full width": "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44=hU7xk2Pq9w",
    "escaped": '"api_key\\u003d9f8Ab3Lk2Pq9wX7c"', "cut string": "token = 'ghp_aB3dE6gH9k' +\n    'aB3dE6gH9kaB3dE6gH9kaB3dE6'",
    "spaced": "g h p _ a B 3 d E 6 g H 9 k a B 3 d E 6 g H 9 k a B 3 d E 6 g H 9 k a B 3 d E 6",
    "key block": PEM.replace("\n", "\\n"), "table": "| user | password |\n|---|---|\n" + "| a | - |\n" * 12 + "| root | hU7x\u200bk2Pq9w |",
    "wrapped": "ghp_aB3dE6gH9kaB3d\nE6gH9kaB3dE6gH9kaB3dE6gH9k"}
PIECES = st.lists(st.sampled_from(["ab", " ", "\n", "\n\n", "\u200b", "\uff41", "%41", "\\x41", "x" * 300, "the rows " * 40, "' + '", "&amp;"]), max_size=30).map("".join)


def copied(parts):
    """Each place of the text of `parts` with the one it has in the view."""
    ends = (*(begin - 2 for begin in parts.begins[1:]), len(parts.text))
    return [(at, place + at - begin) for begin, place, end in zip(parts.begins, parts.places, ends, strict=True) for at in range(begin, end)]


@given(text=PIECES)
def test_a_character_of_a_part_stands_for_the_same_of_the_source_as_in_the_whole(text):
    for view in filter(None, (read(text) for read in (plain_view, wrapped_view, grouped_view))):
        parts = changed(view)
        assert all(parts.text[at] == view.text[place] and parts.span(at, at + 1) == view.span(place, place + 1) for at, place in copied(parts))


@given(text=PIECES)
def test_what_was_replaced_is_in_a_part(text):
    if view := plain_view(text):
        kept = {place for _, place in copied(changed(view))}
        assert all(kept.issuperset(range(view.starts[piece], view.starts[piece + 1])) for piece in range(1, len(view.starts) - 1, 2))


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_hidden_secret_is_found_wherever_it_stands_in_a_long_text(kind, between):
    alone = {finding.kind for finding in Firewall().scan(HIDDEN[kind])}
    text = PLAIN + between + HIDDEN[kind] + between + PLAIN
    found = Firewall().scan(text)
    assert alone and alone <= {finding.kind for finding in found}
    assert all(len(PLAIN) <= finding.start and finding.end <= len(text) - len(PLAIN) for finding in found)


@settings(max_examples=60)
@given(kinds=st.lists(st.sampled_from(sorted(HIDDEN)), min_size=2, max_size=5), gap=st.sampled_from([f"\n\n{PLAIN}\n\n", f"\n{PLAIN}\n"]))
def test_several_hidden_secrets_are_each_found_and_what_is_between_is_left(kinds, gap):
    masked = Firewall().redact(gap.join(HIDDEN[kind] for kind in kinds))
    assert masked.count("REDACTED") >= len(kinds)
    assert masked.count("The importer reads") == gap.count("The importer reads") * (len(kinds) - 1)
    assert "k2Pq9w" not in masked and "dE6gH9k" not in masked
