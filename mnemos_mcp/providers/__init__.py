"""Models that mnemos can ask: embedders and language models."""
