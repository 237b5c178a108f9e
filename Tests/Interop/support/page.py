"""A page in a real browser, used as a person uses it: by the roles and names of its controls (DevTools protocol)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import websockets

from support.browser import PATIENCE, running

# Responses may contain screenshots.
LONGEST_ANSWER = 64 << 20


class PageError(AssertionError):
    """An error of the page or the browser."""


class Page:
    """One page, with everything that it logged and requested."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._prompts: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._answered: set[str] = set()
        self._next = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def _listen(self) -> None:
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                future = self._waiting.pop(message["id"])
                if not future.done():
                    future.set_result(message)
                continue
            parameters = message["params"]
            match message["method"]:
                case "Network.requestWillBeSent":
                    self.requests.append(parameters["request"]["url"])
                case "DeviceAccess.deviceRequestPrompted":
                    self._prompts.put_nowait(parameters)
                case "Runtime.exceptionThrown":
                    details = parameters["exceptionDetails"]
                    self.complaints.append(details.get("exception", {}).get("description", details["text"]))
                case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                    entry = parameters["entry"]
                    # The page requests things that a program may not have, and the browser logs the response.
                    if entry["source"] != "network":
                        self.complaints.append(entry["text"])

    async def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._next += 1
        future = self._waiting[self._next] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self._next, "method": method, "params": parameters}))
        answer = await asyncio.wait_for(future, PATIENCE)
        if "error" in answer:
            raise PageError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    async def evaluate(self, script: str) -> Any:
        """Returns the value of an expression, which may be a promise."""
        answer = await self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise PageError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    async def until(self, script: str, within: float = 20) -> Any:
        """Waits until an expression is true, and returns its value."""
        try:
            async with asyncio.timeout(within):
                while True:
                    try:
                        if value := await self.evaluate(script):
                            return value
                    except PageError as error:
                        # The page was just replaced by another.
                        if "navigated or closed" not in str(error) and "context was destroyed" not in str(error):
                            raise
                    await asyncio.sleep(0.05)
        except TimeoutError:
            text = await self.evaluate("document.body.innerText")
            raise PageError(f"never true: {script}\n{text[:3000]}\n{self.complaints}") from None

    async def load(self, url: str) -> None:
        """Opens a page, and waits until it is there with its scripts."""
        await self.command("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def go(self, url: str) -> None:
        """Opens a dashboard."""
        await self.load(url)
        await self.until(
            "document.documentElement?.dataset.ready === 'true'"
            " || document.getElementById('token-form')?.hidden === false"
        )

    async def text(self) -> str:
        return await self.evaluate("document.body.innerText")

    async def sees(self, text: str, within: float = 20) -> None:
        await self.until(f"document.body.innerText.includes({json.dumps(text)})", within)

    # Controls

    async def find(self, role: str, name: str, within: float = 10) -> str:
        """Returns the only control with that role and name."""
        root = (await self.command("Runtime.evaluate", expression="document.documentElement"))["result"]["objectId"]
        found: list[dict[str, Any]] = []
        try:
            async with asyncio.timeout(within):
                while True:
                    answer = await self.command(
                        "Accessibility.queryAXTree", objectId=root, role=role, accessibleName=name
                    )
                    found = [node for node in answer["nodes"] if not node.get("ignored")]
                    if len(found) == 1:
                        break
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise PageError(f"there are {len(found)} of role {role} with the name {name!r}") from None
        node = await self.command("DOM.resolveNode", backendNodeId=found[0]["backendDOMNodeId"])
        return node["object"]["objectId"]

    async def call(self, control: str, function: str, *arguments: Any) -> Any:
        answer = await self.command(
            "Runtime.callFunctionOn",
            objectId=control,
            functionDeclaration=function,
            arguments=[{"value": value} for value in arguments],
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in answer:
            raise PageError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    async def key(self, key: str, code: int) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            text = {"text": " "} if key == " " and kind == "keyDown" else text
            await self.command("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    async def type(self, character: str, modifiers: int = 0) -> None:
        """Presses the key of a character, which is typed unless there are modifiers (1 Alt, 2 Ctrl, 4 Meta)."""
        text = {} if modifiers else {"text": character}
        await self.command("Input.dispatchKeyEvent", type="keyDown", key=character, modifiers=modifiers, **text)
        await self.command("Input.dispatchKeyEvent", type="keyUp", key=character, modifiers=modifiers)

    async def press_switch(self, name: str) -> None:
        """Changes a switch or a check box using only the keyboard."""
        await self.call(await self.find("switch", name), "function() { this.focus(); }")
        await self.key(" ", 32)

    async def press(self, name: str, role: str = "button") -> None:
        """Presses a button using only the keyboard."""
        await self.call(await self.find(role, name), "function() { this.focus(); }")
        await self.key("Enter", 13)

    async def open(self, name: str) -> None:
        """Expands the disclosure with that summary, whose first letter may be shown as a capital."""
        await self.until(
            "(() => { const one = [...document.querySelectorAll('summary')]"
            f".find((each) => each.innerText.trim().toLowerCase().startsWith({json.dumps(name.lower())}));"
            " if (!one) return false; if (!one.parentElement.open) one.click(); return true; })()"
        )

    async def enter(self, name: str, text: str, role: str = "textbox") -> None:
        """Replaces the contents of a field."""
        await self.call(await self.find(role, name), "function() { this.focus(); this.select(); }")
        await self.command("Input.insertText", text=text)

    async def set(self, name: str, value: Any, role: str) -> None:
        """Sets the value of a slider, a select or similar, as assistive technology does."""
        await self.call(
            await self.find(role, name),
            "function(value) { this.focus(); this.value = value;"
            " for (const kind of ['input', 'change']) this.dispatchEvent(new Event(kind, { bubbles: true })); }",
            value,
        )

    async def choose(self, name: str, within: float = 30) -> None:
        """Selects the device with that name in the chooser, once the page has asked for a device."""
        offered: set[str] = set()
        try:
            async with asyncio.timeout(within):
                while True:
                    prompt = await self._prompts.get()
                    # The browser may report a prompt again after its answer.
                    if prompt["id"] in self._answered:
                        continue
                    offered |= {device["name"] for device in prompt["devices"]}
                    if chosen := next((device for device in prompt["devices"] if device["name"] == name), None):
                        break
        except TimeoutError:
            raise PageError(f"the chooser never offered {name!r}, but {sorted(offered)}\n{await self.text()}") from None
        self._answered.add(prompt["id"])
        await self.command("DeviceAccess.selectPrompt", id=prompt["id"], deviceId=chosen["id"])

    # The browser

    async def heap(self) -> int:
        """Returns the octets of the page's JavaScript that are in use, after garbage collection."""
        await self.command("HeapProfiler.collectGarbage")
        return int((await self.command("Runtime.getHeapUsage"))["usedSize"])

    async def resize(self, width: int, height: int) -> None:
        await self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def scheme(self, name: str) -> None:
        """`light` or `dark`."""
        await self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])


@asynccontextmanager
async def browsing(profile: Path, *arguments: str) -> AsyncIterator[Page]:
    """A browser with those arguments and an empty page."""
    async with running(profile, *arguments, "--remote-debugging-port=0", "--window-size=1200,900", "about:blank"):
        place = profile / "DevToolsActivePort"
        async with asyncio.timeout(PATIENCE):
            while not place.exists() or not place.read_text().strip():
                await asyncio.sleep(0.05)
        port = int(place.read_text().split()[0])

        def targets() -> list[dict[str, Any]]:
            with urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
                return [target for target in json.load(answer) if target["type"] == "page"]

        async with asyncio.timeout(PATIENCE):
            while not (pages := await asyncio.to_thread(targets)):
                await asyncio.sleep(0.05)
        async with websockets.connect(pages[0]["webSocketDebuggerUrl"], max_size=LONGEST_ANSWER) as socket:
            page = Page(socket)
            listening = asyncio.create_task(page._listen())
            try:
                for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility", "DeviceAccess"):
                    await page.command(f"{domain}.enable")
                yield page
            finally:
                listening.cancel()
