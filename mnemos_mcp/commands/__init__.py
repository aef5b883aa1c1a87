"""What each command of `mnemos` does: parse, call one verb, answer. A module is imported when its command is given."""
