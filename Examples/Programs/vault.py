"""The vault of vault.yaml: `vault.py PORT CODE` waits for channels, each of which is a TCP connection.

Each side sends 32 octets, the public key of a key pair that it has made for this channel (X25519). Both derive 64 octets by
HKDF-SHA256: of the shared secret, with the code on the device as salt, and as info `vault` and the public keys of client and
vault. The first 32 are the client's key, the others the vault's. From then on there are records: a length in two octets, big
endian, and so many octets, encrypted by ChaCha20-Poly1305 with the sender's key; the nonce is the number of the record in twelve
octets, little endian, from 0. A record that is not right ends the channel, so whoever does not know the code gets nothing.

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
