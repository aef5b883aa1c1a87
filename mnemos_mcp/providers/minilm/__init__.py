"""all-MiniLM-L6-v2 that comes with the package: int8 weights, a WordPiece of the standard library, a forward pass in numpy."""

IDENTITY, DIMENSIONS = "minilm-l6-v2.q8/384", 384
MODEL_FILE, VOCABULARY = "minilm-l6-v2.q8", "vocab.txt"
WINDOW_TOKENS = 256  # what the model was trained for; its start and end mark are among them
