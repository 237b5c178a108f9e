"""Examples/Programs/vault.yaml: a channel with its own key exchange and encryption."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from conftest import Stage
from support.attributes import handles_by_id
from support.central import Session
from support.channels import Channel, open_channel
from support.controllers import free_port
from support.program import REPOSITORY, describe

PROFILE = REPOSITORY / "Examples" / "Programs" / "vault.yaml"
CODE = "4711-0815"


class App:
    """The app's side of the protocol."""

    def __init__(self, channel: Channel, keys: bytes) -> None:
        self.channel = channel
        self.outgoing, self.incoming = ChaCha20Poly1305(keys[:32]), ChaCha20Poly1305(keys[32:])
        self.count = 0
        self.taken = 32

    @classmethod
    async def open(cls, session: Session, psm: int, code: str = CODE) -> App:
        channel = await open_channel(session, psm)
        own = X25519PrivateKey.generate()
        public = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        channel.write(public)
        peer = (await channel.received(32))[:32]
        shared = own.exchange(X25519PublicKey.from_public_bytes(peer))
        return cls(channel, HKDF(SHA256(), 64, code.encode(), b"vault" + public + peer).derive(shared))

    def record(self, request: dict[str, str]) -> bytes:
        octets = self.outgoing.encrypt(self.count.to_bytes(12, "little"), json.dumps(request).encode(), None)
        return len(octets).to_bytes(2, "big") + octets

    async def ask(self, request: dict[str, str]) -> Any:
        self.channel.write(self.record(request))
        length = int.from_bytes((await self.channel.received(self.taken + 2))[self.taken : self.taken + 2], "big")
        begin, self.taken = self.taken + 2, self.taken + 2 + length
        octets = (await self.channel.received(self.taken))[begin : self.taken]
        text = self.incoming.decrypt(self.count.to_bytes(12, "little"), octets, None)
        self.count += 1
        return json.loads(text)["value"]


async def vault(stage: Stage, *options: str | Path) -> tuple[Session, int]:
    """Returns a connection to the vault, whose program is waiting, and the PSM."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    program = await stage.run(
        PROFILE, "--allow-programs", "--set", f"port={free_port()}", *options, environment={"PATH": path}
    )
    await program.event("program-started", program="vault")
    handles = handles_by_id(await describe(PROFILE))
    session = await stage.connect(mtu=247)
    async with asyncio.timeout(20):
        while await session.read(handles["open"]) != b"\1":
            pass
    return session, int.from_bytes(await session.read(handles["vault-psm"]), "little")


async def test_secrets_stay_secret(virtual: Stage, tmp_path: Path) -> None:
    capture = tmp_path / "run.btsnoop"
    session, psm = await vault(virtual, "--capture", capture)
    app = await App.open(session, psm)
    assert await app.ask({"get": "pin"}) is None
    assert await app.ask({"put": "pin", "value": "correct horse"}) == "correct horse"
    # Another channel has different keys, and the same secrets.
    other = await App.open(session, psm)
    assert await other.ask({"get": "pin"}) == "correct horse"
    await app.channel.close()
    assert virtual.program
    octets = capture.read_bytes()
    assert len(octets) > 1000
    assert b"horse" not in octets and b"pin" not in octets


async def test_who_does_not_know_the_code_gets_nothing(virtual: Stage) -> None:
    session, psm = await vault(virtual)
    app = await App.open(session, psm, "0000-0000")
    app.channel.write(app.record({"get": "pin"}))
    await app.channel.end()
    assert app.channel.octets == 32
    # A record that was changed in transit also ends the channel, and so does a repeated one.
    for change in (lambda record: record[:-1] + bytes([record[-1] ^ 1]), lambda record: record + record):
        app = await App.open(session, psm)
        app.channel.write(change(app.record({"get": "pin"})))
        await app.channel.end()
