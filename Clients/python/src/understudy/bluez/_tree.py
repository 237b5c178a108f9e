"""Objects on the bus: their interfaces, properties and methods, and the signals for their changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, NamedTuple
from xml.sax.saxutils import quoteattr

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.signature import SignatureTree

from understudy.bluez._errors import DBUS, CallError, of_central
from understudy.central import CentralError

PROPERTIES, INTROSPECTABLE = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable"
OBJECT_MANAGER, PEER = "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Peer"
ROOT = "/"


class Call(NamedTuple):
    """A method call: its caller and its message."""

    sender: str
    message: Message
    descriptors: list[int]
    """File descriptors that the answer carries."""


class Method(NamedTuple):
    """A method of an interface: the signatures of its arguments and its answer, and its name in Python."""

    arguments: str
    answer: str
    name: str


class Interface:
    """An interface of an object. Its methods are coroutines that return the values of the answer, in a list."""

    NAME: ClassVar[str]
    METHODS: ClassVar[dict[str, Method]] = {}
    SIGNATURES: ClassVar[dict[str, str]] = {}
    """The signatures of its properties, in the order in which they are listed."""
    WRITABLE: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, **values: Any) -> None:
        self.values: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
        """The properties that are there."""

    def variants(self) -> dict[str, Variant]:
        """Returns all present properties."""
        return {
            name: Variant(signature, self.values[name])
            for name, signature in self.SIGNATURES.items()
            if name in self.values
        }

    async def set(self, name: str, value: Any) -> None:
        """Sets a property that a client writes."""
        raise NotImplementedError


class Tree:
    """All objects of a connection to the bus."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.objects: dict[str, dict[str, Interface]] = {}
        self.calls: dict[str, set[asyncio.Task[None]]] = {}
        """The running calls of each client."""
        self.is_silent = False
        """Set when the name is released: from then on there are no more signals."""
        bus.add_message_handler(self._handle)

    # Objects

    def add(self, path: str, *interfaces: Interface) -> None:
        """Adds interfaces to an object, and creates the object if it does not exist."""
        known = self.objects.setdefault(path, {})
        known.update({interface.NAME: interface for interface in interfaces})
        body = [path, {interface.NAME: interface.variants() for interface in interfaces}]
        self._emit(ROOT, OBJECT_MANAGER, "InterfacesAdded", "oa{sa{sv}}", body)

    def remove(self, path: str, *names: str) -> None:
        """Removes interfaces of an object, or the whole object."""
        known = self.objects.get(path, {})
        gone = [name for name in (names or tuple(known)) if known.pop(name, None)]
        if not known:
            self.objects.pop(path, None)
        if gone:
            self._emit(ROOT, OBJECT_MANAGER, "InterfacesRemoved", "oas", [path, gone])

    def update(self, path: str, interface: Interface, *, always: tuple[str, ...] = (), **values: Any) -> None:
        """Sets properties, and signals those that have changed or are in `always`; None removes a property."""
        changed, invalidated = {}, []
        for name, value in values.items():
            if value is None:
                if interface.values.pop(name, None) is not None:
                    invalidated.append(name)
            elif name in always or interface.values.get(name) != value:
                interface.values[name] = value
                changed[name] = Variant(interface.SIGNATURES[name], value)
        if (changed or invalidated) and interface.NAME in self.objects.get(path, {}):
            self._emit(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface.NAME, changed, invalidated])

    def _emit(self, path: str, interface: str, member: str, signature: str, body: list[Any]) -> None:
        if self.bus.connected and not self.is_silent:
            self.bus.send(Message.new_signal(path, interface, member, signature, body))

    # Calls

    def _handle(self, message: Message) -> bool:
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        sender = message.sender or ""
        running = self.calls.setdefault(sender, set())
        task = asyncio.ensure_future(self._answer(message, sender))
        running.add(task)
        task.add_done_callback(running.discard)
        return True

    def abandon(self, sender: str) -> None:
        """Cancels the calls of a client that has disconnected from the bus."""
        for task in self.calls.pop(sender, set()):
            task.cancel()

    async def _answer(self, message: Message, sender: str) -> None:
        call = Call(sender, message, [])
        try:
            signature, body = await self._carry_out(call)
            reply = Message.new_method_return(message, signature, body, list(call.descriptors))
            # This raises an error for values that do not match the signature.
            if body:
                SignatureTree(signature).verify(body)
        except CallError as error:
            reply = Message.new_error(message, error.name, error.text)
        except CentralError as error:
            failure = of_central(error)
            reply = Message.new_error(message, failure.name, failure.text)
        except Exception as error:
            # A bug in this package: the client still gets an answer.
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"{message.member} failed", "exception": error}
            )
            reply = Message.new_error(message, DBUS + "Failed", f"{message.member} failed: {error}")
        if self.bus.connected and not message.flags & 1:
            await self.bus.send(reply)
        for descriptor in call.descriptors:
            os.close(descriptor)

    async def _carry_out(self, call: Call) -> tuple[str, list[Any]]:
        message = call.message
        match message.interface, message.member:
            case ((None | "org.freedesktop.DBus.Introspectable"), "Introspect"):
                return "s", [self._introspect(message.path or ROOT)]
            case "org.freedesktop.DBus.Peer", "Ping":
                return "", []
        interfaces = self.objects.get(message.path or "")
        if message.path == ROOT and message.interface == OBJECT_MANAGER and message.member == "GetManagedObjects":
            return "a{oa{sa{sv}}}", [
                {path: {name: one.variants() for name, one in known.items()} for path, known in self.objects.items()}
            ]
        if interfaces is None:
            raise CallError(DBUS + "UnknownObject", f"there is no object {message.path}")
        if message.interface == PROPERTIES:
            return await self._properties(message, interfaces)
        interface, method = self._find(message, interfaces)
        if message.signature != method.arguments:
            raise CallError(
                DBUS + "UnknownMethod",
                f"{message.member} takes ({method.arguments}), not ({message.signature})",
            )
        function: Callable[..., Awaitable[list[Any] | None]] = getattr(interface, method.name)
        return method.answer, await function(call, *message.body) or []

    def _find(self, message: Message, interfaces: dict[str, Interface]) -> tuple[Interface, Method]:
        for name, interface in interfaces.items():
            if message.interface in (None, name) and (method := interface.METHODS.get(message.member or "")):
                return interface, method
        raise CallError(
            DBUS + "UnknownMethod",
            f"{message.path} has no method {message.member} of {message.interface or 'any interface'}",
        )

    async def _properties(self, message: Message, interfaces: dict[str, Interface]) -> tuple[str, list[Any]]:
        expected = {"Get": "ss", "GetAll": "s", "Set": "ssv"}.get(message.member or "")
        if expected is None or message.signature != expected:
            raise CallError(
                DBUS + "UnknownMethod", f"{message.member} ({message.signature}) is no method of {PROPERTIES}"
            )
        interface = interfaces.get(message.body[0])
        if interface is None:
            raise CallError(DBUS + "InvalidArgs", f"{message.path} has no interface {message.body[0]}")
        if message.member == "GetAll":
            return "a{sv}", [interface.variants()]
        name = message.body[1]
        if name not in interface.SIGNATURES:
            raise CallError(DBUS + "InvalidArgs", f"{interface.NAME} has no property {name}")
        if message.member == "Get":
            if name not in interface.values:
                raise CallError(DBUS + "InvalidArgs", f"{interface.NAME} has no {name} now")
            return "v", [interface.variants()[name]]
        if name not in interface.WRITABLE:
            raise CallError(DBUS + "PropertyReadOnly", f"{name} is read-only")
        value = message.body[2]
        if value.signature != interface.SIGNATURES[name]:
            raise CallError(DBUS + "InvalidSignature", f"{name} is {interface.SIGNATURES[name]}, not {value.signature}")
        await interface.set(name, value.value)
        return "", []

    def _introspect(self, path: str) -> str:
        interfaces = self.objects.get(path, {})
        prefix = path if path.endswith("/") else path + "/"
        children = {other[len(prefix) :].split("/")[0] for other in self.objects if other.startswith(prefix)}
        names = [PROPERTIES, INTROSPECTABLE, *([OBJECT_MANAGER] if path == ROOT else [])]
        lines = ["<node>", *(f" <interface name={quoteattr(name)}/>" for name in names)]
        for interface in interfaces.values():
            lines.append(f" <interface name={quoteattr(interface.NAME)}>")
            for name, method in interface.METHODS.items():
                lines.append(f"  <method name={quoteattr(name)}>")
                for direction, signature in (("in", method.arguments), ("out", method.answer)):
                    for part in SignatureTree(signature).types if signature else []:
                        lines.append(f'   <arg type={quoteattr(part.signature)} direction="{direction}"/>')
                lines.append("  </method>")
            for name, signature in interface.SIGNATURES.items():
                access = "readwrite" if name in interface.WRITABLE else "read"
                lines.append(f'  <property name={quoteattr(name)} type={quoteattr(signature)} access="{access}"/>')
            lines.append(" </interface>")
        lines += [f" <node name={quoteattr(child)}/>" for child in sorted(children)]
        return "\n".join([*lines, "</node>"])
