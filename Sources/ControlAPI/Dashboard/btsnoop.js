// Packets as a btsnoop file (version 1, data link 1002: HCI UART).

import { octets } from "./format.js";

// Microseconds from midnight on January 1st, 0 AD, to 1970.
const epoch = 0x00DCDDB30F2F8000n;

/** Returns the octets of a file with these packets. */
export function captureFile(packets) {
  const records = [...packets].map((packet) => ({ packet, data: octets(packet.octets) }));
  const file = new DataView(new ArrayBuffer(16 + records.reduce((sum, { data }) => sum + 24 + data.length, 0)));
  new TextEncoder().encodeInto("btsnoop\0", new Uint8Array(file.buffer));
  file.setUint32(8, 1);
  file.setUint32(12, 1002);
  let offset = 16;
  for (const { packet, data } of records) {
    file.setUint32(offset, data.length);
    file.setUint32(offset + 4, data.length);
    // Bit 0: received; bit 1: a command or an event.
    file.setUint32(offset + 8, (packet.sent ? 0 : 1) | (data[0] === 1 || data[0] === 4 ? 2 : 0));
    file.setUint32(offset + 12, 0);
    file.setBigInt64(offset + 16, BigInt(Math.round(packet.nanoseconds / 1000)) + epoch);
    new Uint8Array(file.buffer, offset + 24).set(data);
    offset += 24 + data.length;
  }
  return file.buffer;
}
