"""The vault of vault.yaml: `vault.py PORT CODE` accepts channels, each as a TCP connection.

Each side sends the public key, 32 octets, of a key pair that it has generated for this channel (X25519). Both derive 64 octets
from the shared secret with HKDF-SHA256; the salt is the code on the device, and the info is `vault` and the public keys of client
and vault. The first 32 are the client's key, the others the vault's. Then both sides send records: a length in two octets, big
endian, and that many octets, encrypted with ChaCha20-Poly1305 and the sender's key; the nonce is the number of the record in
twelve octets, little endian, from 0. An invalid record ends the channel, so a client without the code gets nothing.

Requests are JSON: {"put": NAME, "value": TEXT}, {"get": NAME}; each has an answer: {"value": TEXT or null}.
"""

import json
import socketserver
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

port, code = int(sys.argv[1]), sys.argv[2]
secrets: dict[str, str] = {}


class Channel(socketserver.StreamRequestHandler):
    timeout = 60

    def handle(self) -> None:
        try:
            self.exchange_keys()
            while True:
                self.send(self.answer(json.loads(self.receive())))
        except (EOFError, OSError, InvalidTag, ValueError, KeyError, TypeError) as error:
            print(f"the channel ends: {type(error).__name__}", file=sys.stderr, flush=True)

    def exchange_keys(self) -> None:
        own = X25519PrivateKey.generate()
        public = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        peer = self.read(32)
        self.wfile.write(public)
        shared = own.exchange(X25519PublicKey.from_public_bytes(peer))
        keys = HKDF(SHA256(), 64, code.encode(), b"vault" + peer + public).derive(shared)
        self.incoming, self.outgoing = ChaCha20Poly1305(keys[:32]), ChaCha20Poly1305(keys[32:])
        self.received = self.sent = 0

    def receive(self) -> bytes:
        record = self.read(int.from_bytes(self.read(2), "big"))
        text = self.incoming.decrypt(self.received.to_bytes(12, "little"), record, None)
        self.received += 1
        return text

    def send(self, text: bytes) -> None:
        record = self.outgoing.encrypt(self.sent.to_bytes(12, "little"), text, None)
        self.wfile.write(len(record).to_bytes(2, "big") + record)
        self.sent += 1

    def read(self, count: int) -> bytes:
        octets = self.rfile.read(count)
        if len(octets) < count:
            raise EOFError
        return octets

    def answer(self, request: dict[str, str]) -> bytes:
        if "put" in request:
            secrets[request["put"]] = request["value"]
            return json.dumps({"value": request["value"]}).encode()
        return json.dumps({"value": secrets.get(request["get"])}).encode()


class Vault(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Vault(("127.0.0.1", port), Channel) as vault:
    print(json.dumps({"set": {"open": 1}}), flush=True)
    vault.serve_forever()
