from __future__ import annotations

import pytest

from mnemos_mcp.mechanisms.activation import SpreadingActivation
from mnemos_mcp.model import Edge

CHAIN = [Edge("docker", "ubuntu", "adjacency"), Edge("ubuntu", "nginx", "adjacency"), Edge("nginx", "proxy", "adjacency"), Edge("proxy", "cache", "adjacency")]


def test_energy_falls_by_a_fifth_a_hop_and_stops_after_three() -> None:
    energy = SpreadingActivation().spread({"docker": 1.0}, CHAIN)
    assert energy == pytest.approx({"docker": 1.0, "ubuntu": 0.8, "nginx": 0.64, "proxy": 0.512})


def test_nothing_below_the_threshold_is_activated() -> None:
    assert set(SpreadingActivation().spread({"docker": 0.45}, CHAIN)) == {"docker", "ubuntu"}
    assert SpreadingActivation().spread({"docker": 0.2}, CHAIN) == {}


def test_the_best_path_counts_and_paths_do_not_add_up() -> None:
    edges = [Edge("a", "b", "adjacency"), Edge("b", "c", "adjacency"), Edge("a", "c", "identifier")]
    assert SpreadingActivation().spread({"a": 1.0}, edges)["c"] == pytest.approx(0.8)


def test_a_cycle_ends() -> None:
    edges = [Edge("a", "b", "adjacency"), Edge("b", "a", "identifier"), Edge("a", "a", "likeness", 1.0)]
    assert SpreadingActivation().spread({"a": 1.0}, edges) == pytest.approx({"a": 1.0, "b": 0.8})


def test_a_hub_passes_energy_to_its_strongest_ties_only() -> None:
    edges = [Edge("hub", f"m{i:02}", "likeness", 0.6 + i / 100) for i in range(30)]
    reached = set(SpreadingActivation(fan_out=3).spread({"hub": 1.0}, edges)) - {"hub"}
    assert reached == {"m29", "m28", "m27"}


@pytest.mark.parametrize(("edge", "conducts"), [
    (Edge("a", "b", "likeness", 0.59), False), (Edge("a", "b", "likeness", 0.6), True),
    (Edge("a", "b", "coactivation", 1), False), (Edge("a", "b", "coactivation", 2), True), (Edge("a", "b", "identifier", 0.1), True)])
def test_a_tie_conducts_from_its_kinds_strength_on(edge: Edge, conducts: bool) -> None:
    assert ("b" in SpreadingActivation().spread({"a": 1.0}, [edge])) is conducts


def test_no_seed_no_energy() -> None:
    assert SpreadingActivation().spread({}, CHAIN) == {}
