"""Comparable memory servers beside mnemos: each record goes in by the server's own store tool, each question out by its own search tool.

    python benchmarks/peers.py --rig DIR --data agentmem:FILE --peers FOLDER [--model DIR] [--rows server-memory,mempalace]
    python benchmarks/peers.py --rig DIR --data jsonl:FILE --cases beam-100K-1 --peers FOLDER --model DIR

--rig is the recall rig of recall.py: its client, readers and metrics are used, so a row here is scored like a row there (AgentMem asks for five records, the
other sets for twenty). FOLDER holds one environment each; no server is given a key or a network:

    mkdir FOLDER && cd FOLDER && npm install --prefix npm @modelcontextprotocol/server-memory
    for name in basic-memory mcp-memory-service mcp-server-qdrant mempalace; do
        python3.12 -m venv $name && $name/bin/pip install $name
    done
    mcp-memory-service/bin/pip install onnxruntime tokenizers

basic-memory and mcp-memory-service need a Python whose sqlite3 loads extensions; without one, install pysqlite3-binary beside them and put it in place of
sqlite3 in a sitecustomize.py. --model is a folder with model.onnx and tokenizer.json of all-MiniLM-L6-v2, laid where each server keeps its own download of it.
Rows that say "no model" run without. Every server keeps its data in a folder that is removed at the end.
"""
from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

K = 20  # what the rig asks for where a set says nothing
# Where the servers look for a model they have downloaded before.
MODEL_HOMES = (".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx", ".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx",
               "fastembed/fast-all-MiniLM-L6-v2")
BESIDE_MODEL = {
    "config.json": {"pad_token_id": 0}, "tokenizer_config.json": {"model_max_length": 256, "pad_token": "[PAD]"},
    "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"},
    "vocab.txt": {}}  # only looked for


class Peer:
    """One server process on an empty folder. Subclasses say how a record is stored and how a question is asked."""

    package = ""
    command: tuple[str, ...] = ()

    def __init__(self, peers: Path, home: Path, client: Any, **options: Any):
        self.home, self.options = home, options
        self.records: dict[str, list[str]] = defaultdict(list)  # the server's own id or text -> record ids
        first, *rest = self.command
        node = ["node"] if first.endswith(".js") else []
        self.client = client([*node, str(peers / first), *rest], env={
            "HOME": str(home), "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "FASTEMBED_CACHE_PATH": str(home / "fastembed"), **self.env()}, cwd=str(home), timeout=400)

    def env(self) -> dict[str, str]:
        return {}

    def put(self, record: dict[str, Any]) -> str | None:
        """Store one record; the server's own id, None if it took none."""
        raise NotImplementedError

    def ask(self, text: str, scopes: list[str], k: int) -> list[str]:
        """Own ids, best first."""
        raise NotImplementedError

    def call(self, tool: str, **arguments: Any) -> str:
        _, text, bad = self.client.call(tool, arguments)
        if bad:
            raise RuntimeError(f"{tool}: {text[:300]}")
        return text

    def store(self, record: dict[str, Any]) -> None:
        own = self.put(record)
        if own is not None:
            self.records[own].append(record["id"])

    def settle(self, last: dict[str, Any]) -> None:
        """Wait until the last record can be found, where a server indexes after it has answered."""

    def find(self, query: dict[str, Any], k: int) -> list[str]:
        scopes = [query["scope"], "global"] if query.get("scope") else []
        return list(dict.fromkeys(record for own in self.ask(query["text"], scopes, k) for record in self.records.get(own, ())))[:k]


class ServerMemory(Peer):
    package = "@modelcontextprotocol/server-memory"
    command = ("npm/node_modules/@modelcontextprotocol/server-memory/dist/index.js",)

    def env(self) -> dict[str, str]:
        return {"MEMORY_FILE_PATH": str(self.home / "memory.jsonl")}

    def put(self, record: dict[str, Any]) -> str:
        self.call("create_entities", entities=[{"name": record["id"], "entityType": record["scope"], "observations": [record["text"]]}])
        return record["id"]

    def ask(self, text: str, scopes: list[str], k: int) -> list[str]:
        if not self.options.get("words"):
            return self.nodes(text)
        # Its search is for a substring: the best an agent can do is one call a word, where rare words count more.
        from recall.adapters.server_memory import STOP
        hits: dict[str, float] = defaultdict(float)
        for word in dict.fromkeys(re.findall(r"\w+", text.lower())):
            if word not in STOP and len(word) > 2:
                found = self.nodes(word)
                for name in found:
                    hits[name] += 1 / (1 + len(found))
        return sorted(hits, key=lambda name: -hits[name])

    def nodes(self, text: str) -> list[str]:
        return [entity["name"] for entity in json.loads(self.call("search_nodes", query=text))["entities"]]


class BasicMemory(Peer):
    package = "basic-memory"
    command = ("basic-memory/bin/basic-memory", "mcp")

    def env(self) -> dict[str, str]:
        (self.home / "notes").mkdir()
        (self.home / "settings").mkdir()
        return {"BASIC_MEMORY_HOME": str(self.home / "notes"), "BASIC_MEMORY_CONFIG_DIR": str(self.home / "settings"),
                "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false" if self.options.get("text") else "true",
                "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2", "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": "384",
                "BASIC_MEMORY_SEMANTIC_EMBEDDING_CACHE_DIR": str(self.home / "fastembed"), **self.options.get("env", {})}

    def put(self, record: dict[str, Any]) -> str:
        self.call("write_note", title=record["id"], content=record["text"], directory=record["scope"], metadata={"scope": record["scope"]},
                  output_format="json")
        return record["id"]

    def settle(self, last: dict[str, Any]) -> None:
        for _ in range(0 if self.options.get("text") else 200):
            if last["id"] in self.notes(last["text"], K, search_type="vector"):
                return

    def ask(self, text: str, scopes: list[str], k: int) -> list[str]:
        narrowed = {"metadata_filters": {"scope": {"$in": scopes}}} if self.options.get("scoped") and scopes else {}
        kind = {"search_type": "text"} if self.options.get("text") else {}
        return self.notes(text, k, **narrowed, **kind)

    def notes(self, text: str, k: int, **arguments: Any) -> list[str]:
        reply = json.loads(self.call("search_notes", query=text, page_size=k, output_format="json", **arguments))
        return [Path(item["file_path"]).stem for item in reply["results"]]


class McpMemoryService(Peer):
    package = "mcp-memory-service"
    command = ("mcp-memory-service/bin/memory", "server")

    def env(self) -> dict[str, str]:
        return {"MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec", "MCP_MEMORY_SQLITE_PATH": str(self.home / "memory.db"),
                "MCP_MEMORY_BACKUPS_PATH": str(self.home / "backups"), "MCP_MEMORY_USE_ONNX": "1"}

    def put(self, record: dict[str, Any]) -> str | None:
        arguments = {"content": record["text"], "metadata": {"tags": [record["scope"]]}}
        _, said, _ = self.client.call("memory_store", arguments)  # it calls a likeness of what it has an error
        found = re.search(r"successfully \(hash: ([0-9a-f]{64})", said)
        return found[1] if found else None

    def ask(self, text: str, scopes: list[str], k: int) -> list[str]:
        narrowed = {"tags": scopes, "tag_match": "any"} if self.options.get("scoped") and scopes else {}
        return re.findall(r"Hash: ([0-9a-f]{64})", self.call("memory_search", query=text, mode=self.options.get("mode", "semantic"), limit=k, **narrowed))


class Qdrant(Peer):
    package = "mcp-server-qdrant"
    command = ("mcp-server-qdrant/bin/mcp-server-qdrant",)

    def env(self) -> dict[str, str]:
        return {"QDRANT_LOCAL_PATH": str(self.home / "qdrant"), "COLLECTION_NAME": "memory", "QDRANT_SEARCH_LIMIT": str(K),
                "QDRANT_ALLOW_ARBITRARY_FILTER": "true" if self.options.get("scoped") else "false"}

    def put(self, record: dict[str, Any]) -> str:
        self.call("qdrant-store", information=record["text"], metadata={"id": record["id"], "scope": record["scope"]})
        return record["id"]

    def ask(self, text: str, scopes: list[str], k: int) -> list[str]:
        narrowed = {"query_filter": {"must": [{"key": "metadata.scope", "match": {"any": scopes}}]}} if self.options.get("scoped") and scopes else {}
        said = self.call("qdrant-find", query=text, **narrowed)
        entries = [line for line in json.loads(said) if line.startswith("<entry>")] if said.startswith("[") else []
        return [json.loads(re.findall(r"<metadata>(.*?)</metadata>", entry, re.S)[-1])["id"] for entry in entries]


class MemPalace(Peer):
    package = "mempalace"
    command = ("mempalace/bin/mempalace-mcp",)

    def env(self) -> dict[str, str]:
        return {"MEMPALACE_PALACE_PATH": str(self.home / "palace"), "MEMPALACE_EMBEDDING_MODEL": "minilm"}

    def put(self, record: dict[str, Any]) -> str | None:
        return json.loads(self.call("mempalace_add_drawer", wing=record["scope"], room=record.get("session") or "all", content=record["text"])).get("drawer_id")

    def ask(self, text: str, scopes: list[str], k: int) -> list[str]:
        narrowed = {"wing": scopes[0]} if self.options.get("scoped") and scopes else {}
        strategy = {"candidate_strategy": "union"} if self.options.get("union") else {}
        return [item["drawer_id"] for item in json.loads(self.call("mempalace_search", query=text, limit=k, **narrowed, **strategy))["results"]]


# row -> the server, whether it gets the model, its options
ROWS: dict[str, tuple[type[Peer], bool, dict[str, Any]]] = {
    "server-memory": (ServerMemory, False, {}),
    "server-memory, one call a word": (ServerMemory, False, {"words": True}),
    "basic-memory, no model": (BasicMemory, False, {"text": True}),
    "basic-memory": (BasicMemory, True, {}),
    "basic-memory, scopes": (BasicMemory, True, {"scoped": True}),
    "basic-memory, scopes, no least similarity": (BasicMemory, True, {"scoped": True, "env": {"BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY": "0"}}),
    "mcp-memory-service, no model": (McpMemoryService, False, {}),
    "mcp-memory-service, no model, hybrid, scopes": (McpMemoryService, False, {"mode": "hybrid", "scoped": True}),
    "mcp-memory-service": (McpMemoryService, True, {}),
    "mcp-memory-service, hybrid, scopes": (McpMemoryService, True, {"mode": "hybrid", "scoped": True}),
    "mcp-server-qdrant": (Qdrant, True, {}),
    "mcp-server-qdrant, scopes": (Qdrant, True, {"scoped": True}),
    "mempalace": (MemPalace, True, {}),
    "mempalace, union, scope": (MemPalace, True, {"union": True, "scoped": True}),
}


def lay_model(model: Path, home: Path) -> None:
    """The model's files where each server would find its own download."""
    for place in MODEL_HOMES:
        folder = home / place
        folder.mkdir(parents=True)
        for name in ("model.onnx", "tokenizer.json"):
            shutil.copy(model / name, folder / name)
        for name, content in BESIDE_MODEL.items():
            (folder / name).write_text(json.dumps(content))


def version(peers: Path, package: str) -> str:
    if package.startswith("@"):
        return json.loads((peers / "npm/node_modules" / package / "package.json").read_text())["version"]
    found = next(peers.glob(f"{package}/lib/python3*/site-packages/{package.replace('-', '_')}-*.dist-info"))
    return found.name.removesuffix(".dist-info").rpartition("-")[2]


def answers(row: str, case: dict[str, Any], peers: Path, model: Path | None, client: Any) -> list[list[str]]:
    """What the server names for each question, in the order of the questions."""
    kind, wants_model, options = ROWS[row]
    home = Path(tempfile.mkdtemp(prefix="peer-"))
    try:
        if wants_model and model:
            lay_model(model, home)
        peer = kind(peers, home, client, **options)
        try:
            for record in case["records"]:
                peer.store(record)
            peer.settle(case["records"][-1])
            return [peer.find(query, query.get("k", 5) if case.get("agentmem") else K) for query in case["queries"]]
        finally:
            peer.client.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def figures(rows: list[tuple[dict[str, Any], list[str]]], agentmem: bool, metrics: Any) -> dict[str, float]:
    if not agentmem:
        scored = [{**metrics.score(ids, query["gold"]), **({"newer": metrics.newer_first(ids, query["new"], query["old"])} if query.get("new") else {})}
                  for query, ids in rows]
        mean = metrics.mean(scored)
        return {name: mean[name] for name in ("recall@5", "recall@10", "hit@5", "mrr", "newer") if name in mean}
    by_ability = defaultdict(list)
    for query, ids in rows:
        by_ability[query["capability"]].append(metrics.judge(query, ids)["pass"])
    means = {name: fmean(group) for name, group in sorted(by_ability.items())}
    return {"pass": fmean(passed for group in by_ability.values() for passed in group), "mean": fmean(means.values()), **means}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rig", required=True, type=Path)
    parser.add_argument("--data", required=True, help="agentmem:FILE or jsonl:FILE")
    parser.add_argument("--peers", required=True, type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--rows", help="names of rows, ';' between them; beginnings will do")
    parser.add_argument("--cases", help="names of cases, ',' between them")
    args = parser.parse_args()
    sys.path.insert(0, str(args.rig))
    from recall import data, metrics
    from recall.mcp_client import McpClient
    kind, _, path = args.data.partition(":")
    cases = [case for case in getattr(data, kind)(path) if not args.cases or case["case"] in args.cases.split(",")]
    wanted = [row for row in ROWS if not args.rows or row.startswith(tuple(args.rows.split(";")))]
    failed = 0
    for row in wanted:
        try:
            rows = [pair for case in cases for pair in zip(
                case["queries"], answers(row, case, args.peers.resolve(), args.model, McpClient), strict=True)]
        except (OSError, RuntimeError, ValueError) as error:  # one server that does not run is not the end of the others
            print(f"{row}: {error}", file=sys.stderr)
            failed += 1
            continue
        found = figures(rows, kind == "agentmem", metrics)
        print(f"{row} ({version(args.peers, ROWS[row][0].package)})", " ".join(f"{name} {value:.3f}" for name, value in found.items()), sep=" | ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
