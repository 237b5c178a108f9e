"""The output of `understudy-bench`, if it needs a separate process to measure."""

import json
import subprocess

from support.program import REPOSITORY

BENCH = REPOSITORY / ".build" / "debug" / "understudy-bench"


def test_connections_give_their_memory_back():
    result = subprocess.run(
        [BENCH, "memory", "--connections", "5000", "--json"], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)
    # A leak of one octet per connection would be visible.
    assert figures["connections"] == 5000 and abs(figures["growth"]) < 5000
    assert 0 < figures["octets_per_connection"] < 20_000
    assert 0 < figures["octets_per_channel"] < 20_000
