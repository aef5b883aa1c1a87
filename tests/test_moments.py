"""Moments: every usual form of a time is read, and what is printed is read back on the right side of every limit."""
import pytest

from mnemos_mcp.errors import BadInput
from mnemos_mcp.moments import age, iso, parse


@pytest.mark.parametrize(("given", "seconds"), [
    ("2026-01-31", 1769817600.0), ("2026-01", 1767225600.0), ("2026", 1767225600.0), ("20260131", 1769817600.0), ("2026-01-31T09:00", 1769850000.0),
    ("2026-01-31 09:00:00.5Z", 1769850000.5), ("2026-01-31T10:00:00+01:00", 1769850000.0), (" 1769850000 ", 1769850000.0), ("1769850000123", 1769850000.123),
    (1769850000.25, 1769850000.25), (1769850000123, 1769850000.123), (0, 0.0), ("-86400", -86400.0)])
def test_each_usual_form_is_read_and_without_a_zone_utc_is_meant(given, seconds):
    assert parse(given) == seconds


@pytest.mark.parametrize("given", ["", "yesterday", "2026-13-01", "nan", float("nan"), float("inf"), 10**20, True, None, [], "0001-01-01T00:00:00+14:00"])
def test_what_is_no_time_is_refused_with_the_allowed_forms(given):
    with pytest.raises(BadInput, match=r"is no time\. Allowed: 2026-01-31"):
        parse(given)


@pytest.mark.parametrize("at", [1769850000.0, 1769850000.4121, 1769850000.412, 1790000000.123456, -1.5, 0.0])
def test_a_printed_limit_given_back_is_never_before_the_moment_and_the_exact_form_is_the_moment(at):
    assert 0 <= parse(iso(at)) - at < 0.001
    assert parse(iso(at, exact=True)) == pytest.approx(at, abs=1e-6)
    assert iso(parse(iso(at, exact=True)), exact=True) == iso(at, exact=True)


def test_ages_are_words_in_both_directions():
    now = 1_790_000_000.0
    assert [age(now - seconds, now) for seconds in (0, 59, 60, 7200, 86400 * 3, 86400 * 15, 86400 * 70, 86400 * 800)] == [
        "just now", "just now", "1 minute ago", "2 hours ago", "3 days ago", "2 weeks ago", "2 months ago", "2 years ago"]
    assert age(now + 7200, now) == "in 2 hours"
