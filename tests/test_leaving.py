"""The life of the server process: gone with its client, nothing left behind, and nothing but messages on stdout whatever a dependency prints."""
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import case, given
from mcp_rig import INITIALIZE, SERVE, Server, environment

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
PARENT = """
import subprocess, sys, threading
child = subprocess.Popen([sys.executable, *sys.argv[3:]], stdin=int(sys.argv[1]), stdout=int(sys.argv[2]), close_fds=True)
print(child.pid, flush=True)
threading.Event().wait()
"""
NOISY = ("-c", """
import os, sys, warnings
import mnemos_mcp.runtime as runtime
made = runtime.open_engine
def noisy(*args, **kwargs):
    print("a banner", flush=True)
    os.write(1, b"raw bytes without an end")
    os.system("echo a child process")
    warnings.warn("a warning")
    sys.stdout.write("half a line")
    return made(*args, **kwargs)
runtime.open_engine = noisy
from mnemos_mcp.server import main
main()
""")


@LINUX
def test_it_ends_when_its_client_is_killed_though_something_else_holds_its_stdin(tmp_path):
    to_server, ours = os.pipe()
    answers, from_server = os.pipe()
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(to_server), str(from_server), *SERVE], stdout=subprocess.PIPE, text=True,
                              pass_fds=(to_server, from_server), env=environment(tmp_path), cwd=tmp_path)
    server = int(parent.stdout.readline())
    watched = os.pidfd_open(server)
    os.write(ours, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}).encode() + b"\n")
    assert json.loads(os.read(answers, 65536))["id"] == 1
    assert select.select([watched], [], [], 2.5)[0] == [], "it lives while its client lives"
    parent.kill()
    parent.wait()
    assert select.select([watched], [], [], 60)[0] == [watched]
    for descriptor in (to_server, ours, answers, from_server, watched):
        os.close(descriptor)


def rounds(home, count):
    """Start, handshake, leave, so many times; half of them while the memory is being opened."""
    for n in range(count):
        with Server(home, MNEMOS_EMBEDDING_PROVIDER="none" if n % 2 else "builtin") as server:
            server.start()
            asked = server.ask("tools/call", {"name": "mnemos_store", "arguments": {"content": f"Pier {n} has {n + 4} cranes.", "force": True}})
            if n % 2:
                assert server.answer(asked)["result"]["structuredContent"]["stored"]
            children = [line for task in Path(f"/proc/{server.process.pid}/task").iterdir() for line in (task / "children").read_text().split()]
            assert children == [] and server.close_stdin() == 0
    assert not [p for p in home.iterdir() if p.name.endswith((".lock", ".pid", ".sock"))]


@LINUX
@case("process-survives-client")
def test_each_server_is_gone_with_its_client_and_has_no_children(tmp_path):
    rounds(tmp_path, 2)


@LINUX
@pytest.mark.slow
def test_twenty_servers_are_gone_with_their_clients(tmp_path):
    rounds(tmp_path, given("process-survives-client")["rounds"])


@LINUX
@case("process-slow-handshake")
def test_the_handshake_waits_for_no_memory_no_model_and_no_service(tmp_path):
    """Answered before the file is even there; the wall-clock bound is measured by benchmarks/speed.py as a ratio to an empty server."""
    with Server(tmp_path, MNEMOS_EMBEDDING_PROVIDER="ollama", MNEMOS_OLLAMA_URL="http://127.0.0.1:9", MNEMOS_SQLITE_PATH=str(tmp_path / "no" / "such.db")) as server:
        server.start()
        assert not (tmp_path / "no").exists()
        assert len(server.answer(server.ask("tools/list"))["result"]["tools"]) == 10


def test_no_port_is_opened_and_stdout_is_protocol_whatever_a_dependency_prints(tmp_path):
    with Server(tmp_path, NOISY, PYTHONWARNINGS="always", MNEMOS_LOG_LEVEL="debug", MNEMOS_EMBEDDING_PROVIDER="none") as server:
        server.start()
        assert server.call("store", content="The lighthouse is green.", force=True)["stored"]
        if sys.platform.startswith("linux"):
            inodes = {os.readlink(f)[8:-1] for f in Path(f"/proc/{server.process.pid}/fd").iterdir() if os.readlink(f).startswith("socket:")}
            listening = {line.split()[9] for kind in ("tcp", "tcp6", "udp") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:] if line.split()[3] in ("0A", "07")}
            assert not inodes & listening
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
        server._readers[1].join(60)
        assert b"a banner" in server.errors and b"a child process" in server.errors
