"""Provides the temperature of thermometer.yaml: writes values and reads events, as lines of JSON."""

import json
import math
import sys
import threading

interval = 1.0
changed = threading.Event()


def listen() -> None:
    """Reads events until the accessory ends."""
    global interval
    for line in sys.stdin:
        event = json.loads(line)
        if event["event"] == "write" and event["characteristic"] == "interval":
            interval = max(event["value"], 10) / 1000
            changed.set()


threading.Thread(target=listen, daemon=True).start()
step = 0
while True:
    print(json.dumps({"set": {"temperature": round(21 + 4 * math.sin(step / 10), 2)}}), flush=True)
    step += 1
    changed.wait(interval)
    changed.clear()
