import BLEATT
import BLECore

/// The inputs of `ATTTarget`.
enum ATTSeeds {
  static var all: [Seed] { layouts + servers + clients + hosts }

  /// Every fourth PDU alone.
  private static var layouts: [Seed] {
    allATTPDUs.enumerated().filter { $0.offset % 4 == 0 }.map { place, type in
      Seed("layout-\(place)", [3, UInt8(place)] + type.init().encoded + [1, 2, 3, 4])
    }
  }

  /// A script of what happens to a server.
  private struct ServerScript {
    var octets: [UInt8] = [0]

    init(_ write: (inout ServerScript) -> Void) { write(&self) }

    mutating func pdu(_ pdu: some ATTPDU) {
      let octets = pdu.encodedPDU
      self.octets += [0, UInt8(octets.count)] + octets
    }

    mutating func raw(_ octets: [UInt8]) { self.octets += [0, UInt8(octets.count)] + octets }
    mutating func mood(_ mood: UInt8) { octets += [3, mood] }
    mutating func answer(_ kind: UInt8) { octets += [4, 0, kind] }
    mutating func secure(_ choice: UInt8) { octets += [5, choice] }
    mutating func edit(_ choice: UInt8) { octets += [6, choice] }
    mutating func push(_ characteristic: UInt8, isIndication: Bool) {
      octets += [7, characteristic, isIndication ? 1 : 0]
    }
    mutating func confirm() { octets += [8] }
    /// Lets time pass, in units of 200 ms.
    mutating func time(_ count: UInt8) { octets += [9, count] }
    mutating func keepBond() { octets += [10] }
    mutating func reconnect() { octets += [11] }
  }

  /// The handles among which are those of every attribute of the accessory.
  private static let handles: ClosedRange<UInt16> = 1...0x3F

  private static var servers: [Seed] {
    [
      Seed(
        "discovery",
        ServerScript {
          $0.pdu(ExchangeMTURequest(clientMTU: 185))
          for type: UInt16 in [0x2800, 0x2801] {
            $0.pdu(ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(type)))
          }
          for type: UInt16 in [0x2802, 0x2803] {
            $0.pdu(ReadByTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(type)))
          }
          $0.pdu(FindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0xF0, 0xFF]))
          $0.pdu(FindInformationRequest(start: 1, end: 0xFFFF));
          $0.pdu(FindInformationRequest(start: 0x20, end: 0xFFFF))
        }.octets),
      Seed("read-all", ServerScript { for handle in handles { $0.pdu(ReadRequest(handle: handle)) } }.octets),
      Seed(
        "read-guarded",
        ServerScript {
          $0.secure(0x07)
          for handle: UInt16 in 0x100...0x108 {
            $0.pdu(ReadRequest(handle: handle)); $0.pdu(ReadBlobRequest(handle: handle, offset: 1))
          }
        }.octets),
      Seed(
        "write-all",
        ServerScript {
          for handle in handles {
            $0.pdu(WriteRequest(handle: handle, value: [1, 0]));
            $0.pdu(WriteCommand(handle: handle, value: [2, 0, 0, 0]))
          }
        }.octets),
      Seed(
        "read-several",
        ServerScript {
          $0.pdu(
            ReadMultipleRequest(handles: [HandleEntry(handle: 0x16), HandleEntry(handle: 0x18), HandleEntry(handle: 3)])
          );
          $0.pdu(
            ReadMultipleVariableRequest(handles: [
              HandleEntry(handle: 0x16), HandleEntry(handle: 3), HandleEntry(handle: 5),
            ]))
          $0.mood(2);
          $0.pdu(
            ReadMultipleVariableRequest(handles: [
              HandleEntry(handle: 0x1C), HandleEntry(handle: 0x1D), HandleEntry(handle: 0x1E),
              HandleEntry(handle: 0x1F),
            ]));
          $0.answer(2); $0.answer(2)
        }.octets),
      Seed(
        "prepared",
        ServerScript {
          for handle in handles { $0.pdu(PrepareWriteRequest(handle: handle, offset: 0, value: [1, 0])) }
          $0.pdu(ExecuteWriteRequest(flags: 1)); $0.pdu(PrepareWriteRequest(handle: 0x16, offset: 2, value: [9, 9]))
          $0.pdu(PrepareWriteRequest(handle: 0x16, offset: 4, value: [8])); $0.pdu(ExecuteWriteRequest(flags: 1))
          $0.pdu(PrepareWriteRequest(handle: 0x16, offset: 600, value: [9])); $0.pdu(ExecuteWriteRequest(flags: 1))
          $0.pdu(ExecuteWriteRequest(flags: 0))
        }.octets),
      Seed(
        "late-answers",
        ServerScript {
          $0.mood(0x2A); for handle: UInt16 in [0x1C, 0x1D, 0x1E, 0x105] { $0.pdu(ReadRequest(handle: handle)) }
          $0.answer(2); $0.answer(1); $0.pdu(WriteRequest(handle: 0x16, value: [1])); $0.answer(0)
          for _ in 0..<20 { $0.pdu(ReadRequest(handle: 0x1D)) }
          $0.time(130); $0.time(30)
        }.octets),
      Seed(
        "robust-caching",
        ServerScript {
          for handle: UInt16 in 6...0x14 {
            $0.pdu(WriteRequest(handle: handle, value: [2, 0])); $0.pdu(WriteRequest(handle: handle, value: [1]))
          }
          $0.keepBond(); $0.edit(0x08); $0.pdu(ReadRequest(handle: 3));
          $0.pdu(ReadByTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(0x2B2A)))
          $0.pdu(ReadRequest(handle: 3)); $0.confirm(); $0.edit(0x0A); $0.edit(1); $0.confirm(); $0.reconnect();
          $0.confirm()
        }.octets),
      Seed(
        "indications",
        ServerScript {
          for handle in handles { $0.pdu(WriteRequest(handle: handle, value: [3, 0])) }
          $0.mood(1)
          for index in UInt8(0)..<5 { $0.push(index, isIndication: true); $0.push(index, isIndication: false) }
          $0.confirm(); $0.confirm(); $0.time(160); $0.confirm()
        }.octets),
      Seed(
        "prepared-and-removed",
        ServerScript {
          $0.edit(0x08);
          for handle: UInt16 in 0x109...0x114 { $0.pdu(PrepareWriteRequest(handle: handle, offset: 0, value: [1])) }
          $0.edit(1); $0.pdu(ExecuteWriteRequest(flags: 1))
        }.octets),
      Seed(
        "malformed",
        ServerScript {
          for opcode: UInt8 in 0...0x25 { $0.raw([opcode]); $0.raw([opcode, 1, 0]) }
          $0.raw([]); $0.raw([0xD2, 0x16, 0] + [UInt8](repeating: 1, count: 13)); $0.raw([0x52, 0x16])
        }.octets),
    ]
  }

  /// A script of what happens to a client.
  private struct ClientScript {
    var octets: [UInt8]

    init(mtu: UInt8 = 80, _ write: (inout ClientScript) -> Void) {
      octets = [1, mtu]
      write(&self)
    }

    mutating func perform(_ operation: UInt8, _ handle: UInt8 = 5) { octets += [0, handle, operation] }

    mutating func pdu(_ pdu: some ATTPDU) {
      let octets = pdu.encodedPDU
      self.octets += [1, UInt8(octets.count)] + octets
    }

    /// Sends an opcode, and entries that all have the same length.
    mutating func list(_ opcode: UInt8, _ entries: [[UInt8]]) {
      octets += [3, opcode, UInt8((entries.first?.count ?? 2) - 2), UInt8(entries.count)] + entries.flatMap { $0 }
    }

    mutating func notFound(_ request: ATTOpcode) {
      pdu(ErrorResponse(request: request, handle: 1, error: .attributeNotFound))
    }
  }

  private static var clients: [Seed] {
    [
      Seed(
        "discover-all",
        ClientScript {
          $0.perform(0); $0.pdu(ExchangeMTUResponse(serverMTU: 100)); $0.perform(1)
          $0.list(0x11, [[1, 0, 5, 0, 0, 0x18], [6, 0, 20, 0, 0x0D, 0x18]]); $0.notFound(.readByGroupTypeRequest)
          $0.notFound(.readByGroupTypeRequest); $0.list(0x09, [[7, 0, 1, 0, 2, 0, 1, 0x18]]);
          $0.notFound(.readByTypeRequest)
          $0.notFound(.readByTypeRequest); $0.list(0x09, [[8, 0, 0x1A, 9, 0, 0x37, 0x2A]]);
          $0.notFound(.readByTypeRequest)
          $0.notFound(.readByTypeRequest); $0.list(0x05, [[10, 0, 2, 0x29]]); $0.notFound(.findInformationRequest)
          $0.perform(17, 9); $0.pdu(WriteResponse())
        }.octets),
      Seed(
        "read-long",
        ClientScript(mtu: 0) {
          $0.perform(8); $0.pdu(ReadResponse(value: [UInt8](repeating: 1, count: 22)))
          $0.pdu(ReadBlobResponse(value: [UInt8](repeating: 2, count: 22))); $0.pdu(ReadBlobResponse(value: [3]))
          $0.perform(9); $0.pdu(ErrorResponse(request: .readBlobRequest, handle: 5, error: .invalidOffset))
        }.octets),
      Seed(
        "several-values",
        ClientScript {
          $0.perform(11); $0.pdu(ReadMultipleResponse(values: [1, 2, 3])); $0.perform(13)
          $0.octets += [1, 8, 0x21, 1, 0, 7, 3, 0, 8, 9]; $0.perform(10); $0.list(0x09, [[5, 0, 99], [6, 0, 98]])
          $0.notFound(.readByTypeRequest)
        }.octets),
      Seed(
        "write-long",
        ClientScript(mtu: 0) {
          $0.perform(15, 20)
          for offset: UInt16 in [0, 18, 36, 54] {
            $0.pdu(
              PrepareWriteResponse(
                handle: 20, offset: offset, value: [UInt8](repeating: 7, count: offset == 54 ? 6 : 18)))
          }
          $0.pdu(ExecuteWriteResponse()); $0.perform(16);
          $0.pdu(PrepareWriteResponse(handle: 5, offset: 0, value: [1, 2, 4]))
          $0.pdu(ExecuteWriteResponse())
        }.octets),
      Seed(
        "pushes",
        ClientScript {
          $0.pdu(HandleValueNotification(handle: 9, value: [1])); $0.pdu(HandleValueIndication(handle: 9, value: [1]))
          $0.octets += [1, 7, 0x23, 9, 0, 1, 0, 5, 0]; $0.pdu(HandleValueIndication(handle: 0, value: []))
        }.octets),
      Seed(
        "no-answer",
        ClientScript {
          $0.perform(2); $0.perform(8); $0.octets += [4, 200]; $0.perform(3)
        }.octets),
      Seed(
        "out-of-sync",
        ClientScript {
          $0.perform(8); $0.pdu(ErrorResponse(request: .readRequest, handle: 5, error: .databaseOutOfSync));
          $0.perform(4)
          $0.list(0x09, [[7, 0, 1, 0, 2, 0]]); $0.pdu(ReadResponse(value: [UInt8](repeating: 1, count: 16)))
          $0.notFound(.readByTypeRequest)
        }.octets),
    ]
  }

  private static var hosts: [Seed] {
    [
      Seed(
        "host-subscribes",
        HostScript {
          $0.pdu(0, ExchangeMTURequest(clientMTU: 100))
          for handle: UInt16 in 0x15...0x2A { $0.pdu(0, WriteRequest(handle: handle, value: [1, 0])) }
          $0.time(10, long: true); $0.mood(4); $0.pdu(0, WriteRequest(handle: 0x16, value: [5])); $0.disconnect(0)
        }.att),
      Seed(
        "host-uses-peer",
        HostScript {
          $0.mood(0x80)
          $0.request(8, 0, 0, 5, 1)
          $0.frame(0, channel: 4, [0x11, 6, 1, 0, 5, 0, 0, 0x18])
          $0.frame(0, channel: 4, HandleValueNotification(handle: 9, value: [1]).encodedPDU)
          $0.frame(0, channel: 4, HandleValueIndication(handle: 9, value: [1]).encodedPDU)
          $0.request(8, 0, 0, 5, 0)
          $0.time(70, long: true)
        }.att),
      Seed(
        "host-late-answers",
        HostScript {
          $0.mood(0x0A)
          for handle: UInt16 in 0x15...0x24 { $0.pdu(0, ReadRequest(handle: handle)) }
          $0.request(4, 0, 0, 0, 2, 3, 1, 2, 3); $0.time(60, long: true); $0.disconnect(0)
        }.att),
      Seed(
        "host-changes",
        HostScript {
          for handle: UInt16 in 6...0x14 { $0.pdu(0, WriteRequest(handle: handle, value: [2, 0])) }
          $0.edit(0x08); $0.frame(0, channel: 4, [0x1E]); $0.request(6, 0, 0); $0.edit(1); $0.disconnect(0);
          $0.connect(0)
          $0.request(7, 0, 0); $0.request(1, 1, 0); $0.request(0, 1, 0)
        }.att),
    ]
  }
}
