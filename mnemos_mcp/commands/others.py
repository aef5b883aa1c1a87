"""Commands around the memory: project, profile, serve, demo, ui, completion."""
from __future__ import annotations

from typing import Any

from .answer import Answer, Session, UsageError, count

PROFILES: dict[str, tuple[str, dict[str, str]]] = {
    "starter": ("Works as it is: no model server, no key, no network.", {
        "MNEMOS_STORE_TYPE": "sqlite", "MNEMOS_EMBEDDING_PROVIDER": "builtin", "MNEMOS_LLM_PROVIDER": "none", "MNEMOS_INJECT": "session"}),
    "local-performance": ("Judgement and vectors by models on this machine: first `ollama pull qwen3:8b` and `ollama pull qwen3-embedding:4b`.", {
        "MNEMOS_STORE_TYPE": "sqlite", "MNEMOS_EMBEDDING_PROVIDER": "ollama", "MNEMOS_EMBEDDING_MODEL": "qwen3-embedding:4b",
        "MNEMOS_LLM_PROVIDER": "ollama", "MNEMOS_LLM_MODEL": "qwen3:8b", "MNEMOS_OLLAMA_URL": "http://127.0.0.1:11434", "MNEMOS_INJECT": "prompt"})}


def run(session: Session) -> Answer:
    return {"project": _project, "profile": _profile, "serve": _serve, "demo": _demo, "ui": _ui,
            "completion": _completion}[session.args.command](session)


def _project(session: Session) -> Answer:
    from .. import projects
    action, names, engine = session.args.action, session.args.names, session.engine
    wanted = {"show": (0, 1), "merge": (2, 2), "split": (1, 1)}[action]
    if not wanted[0] <= len(names) <= wanted[1]:
        raise UsageError("`mnemos project` shows this folder's project, `mnemos project show A` another; `merge A B` lets A count as B; "
                         "`split A` takes it out.")
    if action == "merge":
        one, into = projects.merge(engine, *names)
        return Answer({"merged": one.identity, "into": into.identity},
                      f"{one.name} ({one.identity}) counts as {into.name} ({into.identity}) from now on; `mnemos project split {one.identity}` undoes it")
    if action == "split":
        one = projects.split(engine, *names)
        return Answer({"split": one.identity}, f"{one.name} ({one.identity}) is a project of its own again")
    here = projects.here(engine, *names)
    place = here.place
    shown = {"identity": place.identity, "name": place.name, "root": place.root, "how": place.how} if place.identity else None
    value: dict[str, Any] = {"project": shown, "workspaces": list(place.workspaces), "joined": [i for i in here.joined if i != place.identity],
                             "memories": here.memories, "known": list(here.known)}
    return Answer(value, "\n".join(_shown(value)))


def _shown(value: dict[str, Any]) -> list[str]:
    project = value["project"]
    lines = ["no project here: a home folder or '/' is none. Name one with MNEMOS_PROJECT, or go to a folder."] if project is None else [
        f"{project['name']}  {project['identity']}", f"  found by {project['how']}" + (f", root {project['root']}" if project["root"] else ""),
        f"  {count(value['memories'], 'active memory', 'active memories')}"]
    lines += [f"  in workspace {', '.join(value['workspaces'])}"] if value["workspaces"] else []
    lines += [f"  joined with {', '.join(value['joined'])}"] if value["joined"] else []
    lines += ["known projects:"] if value["known"] else []
    lines += [f"  {p['name']}  {p['identity']}  {count(p['memories'], 'memory', 'memories')}"
              + (f"  counts as {p['into']}" if p["into"] else "") for p in value["known"]]
    return lines


def _profile(session: Session) -> Answer:
    about, values = PROFILES[session.args.name]
    block = "\n".join([f"# {session.args.name}: {about}", *(f"{name}={value}" for name, value in values.items())])
    return Answer({"profile": session.args.name, "about": about, "settings": values}, block)


def _serve(session: Session) -> Answer:
    from ..server import main
    main()
    return Answer(None)


def _demo(session: Session) -> Answer:
    from ..demo import run as play
    return Answer(play(quiet=session.args.json))


def _ui(session: Session) -> Answer:
    """Serves until it is interrupted. The address is printed as soon as the page answers there."""
    import json

    from ..web.serve import serve
    args = session.args

    def said(address: str) -> None:
        print(json.dumps({"address": address}) if args.json else f"mnemos: {address}\nThis address lets one browser in, once. Ctrl-C ends the page.", flush=True)

    serve(session.engine, port=args.port, said=said, open_page=not args.no_open)
    return Answer(None)


def _completion(session: Session) -> Answer:
    from ..completion import script
    from .arguments import build
    text = script(session.args.shell, build()[1])
    return Answer({"shell": session.args.shell, "script": text}, text)
