"""all-MiniLM-L6-v2 that comes with the package: int8 weights, a WordPiece of the standard library, a forward pass in numpy."""
