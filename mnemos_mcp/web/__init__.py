"""The page that shows a memory at work: a door on loopback. It parses, calls one verb of the engine and renders."""
