"""Avatar's runner. It runs in Avatar's environment (requirements-avatar.txt), not in that of the tests.

Each case resets the device under test, which restarts its server. By default, gRPC waits a second before it reconnects.
"""

from __future__ import annotations

from typing import Any

import avatar
import grpc.aio

RECONNECTION = [("grpc.initial_reconnect_backoff_ms", 50), ("grpc.min_reconnect_backoff_ms", 50)]
open_channel = grpc.aio.insecure_channel


def reconnecting(target: str, options: Any = None, **more: Any) -> Any:
    return open_channel(target, options=[*(options or []), *RECONNECTION], **more)


grpc.aio.insecure_channel = reconnecting
avatar.main()
