import BLECore
import BLEHCI

/// The inputs of `EventsTarget`.
enum EventSeeds {
  static var all: [Seed] { events + commands + others + streams }

  /// The parameters of every event, with some fields set.
  private static var events: [Seed] {
    EventRegistry.all.map { type in
      let subevent = (type as? any LEMetaEvent.Type)?.subevent.rawValue
      let codes = [type.code.rawValue, subevent ?? 0]
      return Seed(
        "event-\((subevent == nil ? [codes[0]] : codes).hexadecimal)", [0, 0] + codes + sample(type.init().encoded))
    }
  }

  /// The parameters of some commands. The fields of the others are much the same.
  private static var commands: [Seed] {
    CommandRegistry.all.filter { $0.opcode.rawValue.isMultiple(of: 6) }.map { type in
      Seed(
        "command-\(type.opcode.octets.reversed().hexadecimal)",
        [0, 1] + type.opcode.octets + sample(type.init().encoded))
    }
  }

  /// Returns the octets with small numbers instead of zeros, and with some octets appended for lists.
  private static func sample(_ octets: [UInt8]) -> [UInt8] {
    octets.enumerated().map { $0.element == 0 ? UInt8($0.offset % 3) : $0.element } + [1, 2, 3, 4]
  }

  private static var others: [Seed] {
    [
      Seed("advertising-data", [0, 2, 2, 1, 6, 3, 3, 0x0D, 0x18, 5, 9] + Array("Fuzz".utf8) + [3, 0x19, 0x41, 3]),
      Seed("event-packet", [0, 3, 0x3E, 4, 0x07, 1, 2, 3]),
    ]
  }

  private static var streams: [Seed] {
    [
      Seed(
        "link",
        HostScript {
          $0.connect(1); $0.read(1); $0.time(255, long: true); $0.disconnect(1)
        }.events),
      Seed(
        "link-events",
        HostScript {
          $0.connect(1)
          $0.le(
            LEConnectionUpdateComplete {
              $0.connectionHandle.rawValue = 1; $0.interval.rawValue = 80
            })
          $0.le(
            LEDataLengthChange {
              $0.connectionHandle.rawValue = 1; $0.maximumTxOctets = 251
            })
          $0.le(
            LEPHYUpdateComplete {
              $0.connectionHandle.rawValue = 1; $0.txPHY = .le2M
            })
          $0.le(
            LERemoteConnectionParameterRequest {
              $0.connectionHandle.rawValue = 1; $0.intervalMaximum.rawValue = 6
            })
          $0.le(LELongTermKeyRequest { $0.connectionHandle.rawValue = 1 })
        }.events),
      Seed(
        "set-terminated",
        HostScript {
          $0.le(LEAdvertisingSetTerminated()); $0.connect(2); $0.read(2)
        }.events),
      Seed(
        "faults",
        HostScript {
          $0.event(HCIHardwareError()); $0.event(HCIDataBufferOverflow())
        }.events),
      Seed(
        "grants",
        HostScript {
          $0.event(HCICommandComplete()); $0.connect(1); $0.event(HCICommandComplete())
        }.events),
      Seed(
        "silence",
        HostScript {
          $0.mood(0, answers: false, completes: true); $0.connect(1); $0.time(40, long: true)
        }.events),
      Seed(
        "partial-packet",
        HostScript {
          $0.raw([0x04, 0x3E, 100, 1]); $0.time(255); $0.connect(1)
        }.events),
      Seed(
        "completions",
        HostScript {
          $0.connect(1)
          $0.mood(0, answers: true, completes: false)
          for _ in 0..<6 { $0.read(1) }
          $0.event(
            HCINumberOfCompletedPackets { $0.completed = [CompletedPackets(ConnectionHandle(rawValue: 1), count: 2)] })
          $0.freeBuffers()
        }.events),
      Seed(
        "requests",
        HostScript {
          $0.connect(1); $0.edit(0); $0.edit(1); $0.disconnectWish(1)
        }.events),
    ]
  }
}

extension CommandOpcode {
  /// The opcode as it is sent.
  var octets: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(rawValue >> 8)] }
}
