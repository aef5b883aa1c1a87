"""The house holds: imports point down, mechanisms are pure, and what may stand in one place stands there only."""
import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "mnemos_mcp"
FLOORS = [
    {"scope", "episode", "buffered", "errors", "blas", "private"},
    {"model"},
    {"results", "moments", "outfile", "writes"},
    {"mechanisms", "ports", "providers", "tables"},
    {"config", "storage", "repository", "options", "render", "params", "patterns"},
    {"identity", "layers", "prose", "architecture", "known_files"},
    {"mind", "fitting", "tools", "place", "events", "transcript"},
    {"records"},
    {"records_claude", "records_codex"},
    {"judgement"},
    {"encode", "keeping", "retrieve", "brief", "chronicle", "remarks"},
    {"capture"},
    {"maintain", "sweep", "transfer_lines", "explain", "erasing"},
    {"health"},
    {"arrivals", "replay"},
    {"transfer"},
    {"engine"},
    {"settings"},
    {"runtime", "waking", "clients", "recovery", "reembed", "projects", "overview", "talk"},
    {"wire", "opening", "bars", "completion", "telling", "worker"},
    {"portraits"},
    {"terminal"},
    {"server", "demo", "hook", "api", "web"},
    {"commands"},
    {"cli"},
    {"__main__", "__init__"},
]
HEIGHT = {name: floor for floor, names in enumerate(FLOORS) for name in names}
FILES = sorted(ROOT.rglob("*.py"))


def place(path: Path) -> str:
    """Top-level name of a file inside the package."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, bool]]:
    """(dotted name inside the package, or outside name; whether it is the package's own), TYPE_CHECKING blocks apart."""
    tree = ast.parse(path.read_text())
    skipped = {id(n) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) for n in ast.walk(node)}
    package = path.relative_to(ROOT).parts[:-1]
    found = []
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            base = list(package[:len(package) - node.level + 1]) if node.level else []
            names = [node.module] if node.module else [a.name for a in node.names]
            for name in names:
                own = node.level > 0 or (node.module or "").startswith("mnemos_mcp")
                found.append((".".join([*base, name.removeprefix("mnemos_mcp.")]), own))
        elif isinstance(node, ast.Import):
            found += [(a.name.removeprefix("mnemos_mcp."), a.name.startswith("mnemos_mcp")) for a in node.names]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_imports_only_from_lower_floors(path):
    mine = place(path)
    for name, own in imports(path):
        top = name.split(".")[0]
        if own and top not in ("", mine, "__version__"):
            assert HEIGHT[top] < HEIGHT[mine], f"{path.name} imports {name}, which is not below it"


def test_every_file_has_a_floor():
    assert {place(p) for p in FILES} <= set(HEIGHT)


@pytest.mark.parametrize("path", sorted((ROOT / "mechanisms").glob("*.py")), ids=lambda p: p.stem)
def test_a_mechanism_uses_the_standard_library_numpy_and_values_only(path):
    outside = {name.split(".")[0] for name, own in imports(path) if not own}
    assert not outside & {"apsw", "mcp", "pydantic", "ollama", "onnxruntime", "httpx", "rich", "sqlite3", "os", "time", "subprocess"}
    text = path.read_text()
    assert "time.time(" not in text and "datetime.now(" not in text and "environ" not in re.sub(r'"[^"\n]*"|\'[^\'\n]*\'', "", text)


@pytest.mark.parametrize(("pattern", "allowed"), [
    (r"\bos\.environ\b|\bgetenv\(", {"settings.py", "blas.py"}),
    (r"\bCleanText\(", {"mechanisms/firewall.py", "storage/rows.py"}),
    (r"^\s*(from|import) mcp\b", {"server.py", "wire.py", "demo.py"}),
    (r"^\s*(from|import) apsw\b", None),
    (r"^\s*(from|import) sqlite3\b", set()),
    (r"\bselect .+ from\b", None),
], ids=["environment", "clean text", "the SDK", "the driver", "no second SQLite", "SQL"])
def test_what_has_one_place_stands_there_only(pattern, allowed):
    for path in FILES:
        name = str(path.relative_to(ROOT))
        if re.search(pattern, path.read_text(), re.M):
            assert name in allowed if allowed is not None else name.startswith("storage/") or name == "recovery.py", f"{name} holds {pattern}"


def test_files_are_small():
    long = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in FILES}
    assert not {n: c for n, c in long.items() if c > (400 if n.startswith("storage/") else 300)}
