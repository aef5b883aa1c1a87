"""`python -m mnemos_mcp VERB` is `mnemos VERB`."""
from .cli import script

if __name__ == "__main__":
    script()
