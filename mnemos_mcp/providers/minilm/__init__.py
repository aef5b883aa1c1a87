"""all-MiniLM-L6-v2 that comes with the package: int8 weights, a WordPiece of the standard library, a forward pass in numpy."""

IDENTITY, DIMENSIONS = "minilm-l6-v2.q8/384", 384
