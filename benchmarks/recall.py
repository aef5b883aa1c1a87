"""Recall quality through the real MCP server, by a recall rig that feeds records and scores ranked ids (no model, no judge, no network).

    python benchmarks/recall.py --rig DIR --data agentmem:FILE [--systems mnemos,rrf-scoped]
    python benchmarks/recall.py --rig DIR --data jsonl:FILE --systems mnemos-force,mnemos-noembed,rrf

The rig is a folder with run.py, systems.json and mcp_profiles.json; its baselines need RECALL_PY and RECALL_MODEL_DIR as its README says.
"""
from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rig", required=True, type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--systems", default="mnemos")
    args, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder, "mnemos-mcp")  # the rig starts a server by one path
        command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m mnemos_mcp serve\n")
        command.chmod(0o700)
        return subprocess.run([sys.executable, str(args.rig / "run.py"), "--data", args.data, "--systems", args.systems, *rest],
                              env={**os.environ, "MNEMOS_CMD": str(command)}).returncode


if __name__ == "__main__":
    sys.exit(main())
