import BLECore
import BLEL2CAP

/// The inputs of `ClassicTarget`.
enum ClassicSeeds {
  static var all: [Seed] { opening + configuring + retransmitting + other }

  /// A script of the steps that a link with channels takes.
  private struct Script {
    var octets: [UInt8] = []

    init(_ write: (inout Script) -> Void) { write(&self) }

    mutating func signal(_ packet: some SignallingPacket, _ identifier: UInt8 = 1) {
      var buffer = OctetBuffer()
      packet.encodePacket(identifier: identifier, into: &buffer)
      signal(buffer.copy())
    }

    mutating func signal(_ frame: [UInt8]) { octets += [0, UInt8(frame.count)] + frame }
    mutating func frame(_ channel: UInt8, _ count: UInt8) {
      octets += [3, channel, count] + [UInt8](repeating: 7, count: Int(count))
    }
    mutating func open(_ place: UInt8 = 0, mtu: UInt8 = 100) { octets += [4, mtu, 0, place] }
    mutating func close(_ place: UInt8 = 0) { octets += [5, place] }
    mutating func abort(_ place: UInt8 = 0) { octets += [6, place] }
    mutating func send(_ count: UInt8, _ place: UInt8 = 0) { octets += [7, count, 0, place] }
    mutating func wait(seconds: UInt16) {
      octets += [8, UInt8(truncatingIfNeeded: seconds * 100), UInt8(seconds * 100 >> 8)]
    }
    mutating func encrypt() { octets += [9, 0] }
    mutating func unpublish() { octets += [9, 1] }
    mutating func ask(_ type: UInt8) { octets += [9, 2, type] }
    mutating func authorize(_ isGranted: Bool) { octets += [9, 3, isGranted ? 1 : 0] }
    mutating func drain() { octets += [11, 20] }
    mutating func control(_ control: EnhancedControl, _ payload: [UInt8] = []) {
      octets += [10, 0] + control.rawValue.littleEndianOctets + [UInt8(payload.count)] + payload + [1]
    }

    /// Lets the peer open a channel, up to its configuration.
    mutating func accept() {
      signal(ChannelConnectionRequest(psm: .serviceDiscovery, source: ClassicSeeds.theirs))
      drain()
      signal(ConfigurationRequest(destination: ClassicSeeds.ours, options: [ConfigurationOption(MTUOption(mtu: 64))]))
      signal(ConfigurationResponse(source: ClassicSeeds.ours))
      drain()
    }

    /// Opens a channel that the peer accepts, up to its configuration.
    mutating func connect() {
      open()
      drain()
      signal(ChannelConnectionResponse(destination: ClassicSeeds.theirs, source: ClassicSeeds.ours))
      drain()
    }
  }

  private static let ours = ChannelID(rawValue: 0x0040)
  private static let theirs = ChannelID(rawValue: 0x0050)

  private static func seed(_ name: String, _ write: (inout Script) -> Void) -> Seed {
    Seed(name, Script(write).octets)
  }

  private static var opening: [Seed] {
    [
      seed("accepted") { script in
        script.accept()
        script.send(64)
        script.frame(0x40, 100)
        script.frame(0x40, 101)
        script.drain()
        script.signal(DisconnectionResponse(destination: theirs, source: ours), 2)
      },
      seed("opened") { script in
        script.connect()
        script.signal(ConfigurationRequest(destination: ours))
        script.signal(ConfigurationResponse(source: ours), 2)
        script.send(200)
        script.close()
        script.drain()
        script.signal(DisconnectionResponse(destination: theirs, source: ours), 3)
      },
      seed("refused") { script in
        for place in UInt8(0)..<3 { script.open(place) }
        script.drain()
        script.signal(ChannelConnectionResponse(destination: theirs, source: ours, result: .pending))
        script.signal(ChannelConnectionResponse(destination: .init(rawValue: 0), source: ours, result: .noResources))
        script.signal(CommandReject(reason: .notUnderstood), 2)
        script.wait(seconds: 40)
      },
      seed("authorized") { script in
        for source in UInt16(0x60)..<0x66 {
          script.signal(ChannelConnectionRequest(psm: .attributeProtocol, source: .init(rawValue: source)))
        }
        script.authorize(true)
        script.authorize(false)
        script.signal(DisconnectionRequest(destination: .init(rawValue: 0x42), source: .init(rawValue: 0x62)))
        script.signal(ChannelConnectionRequest(psm: .rfcomm, source: theirs))
        script.encrypt()
        script.signal(ChannelConnectionRequest(psm: .rfcomm, source: .init(rawValue: 0x70)))
        script.drain()
      },
    ]
  }

  private static var configuring: [Seed] {
    let modes = ConfigurationOption(RetransmissionOption(mode: .enhancedRetransmission))
    let unknown = ConfigurationOption(ConfigurationOptionType(rawValue: 0x11), [1, 2])
    let short = ConfigurationOption(MTUOption(mtu: 10))
    return [
      seed("insists") { script in
        script.connect()
        for _ in 0..<2 { script.signal(ConfigurationRequest(destination: ours, options: [modes])) }
        script.drain()
      },
      seed("options") { script in
        script.connect()
        for option in [unknown, short, ConfigurationOption(.mtu, [1])] {
          script.signal(ConfigurationRequest(destination: ours, options: [option]))
        }
        script.signal(ConfigurationRequest(destination: ours, flags: .continuation, options: [short]))
        script.signal(ConfigurationRequest(destination: ours, options: [ConfigurationOption(MTUOption(mtu: 80))]))
        script.drain()
      },
      seed("proposals") { script in
        script.connect()
        for (result, option) in [
          (ConfigurationResult.unacceptableParameters, ConfigurationOption(MTUOption(mtu: 64))),
          (.unknownOptions, ConfigurationOption(MTUOption(mtu: 64))), (.pending, unknown), (.rejected, modes),
        ] {
          for identifier in UInt8(2)..<5 {
            script.signal(ConfigurationResponse(source: ours, result: result, options: [option]), identifier)
          }
          script.drain()
        }
        script.wait(seconds: 120)
      },
      seed("again") { script in
        script.accept()
        script.signal(ConfigurationRequest(destination: ours, options: [ConfigurationOption(MTUOption(mtu: 48))]))
        script.send(60)
        script.drain()
        script.signal(ConfigurationResponse(source: ours), 2)
        script.drain()
      },
    ]
  }

  private static var retransmitting: [Seed] {
    var option = RetransmissionOption(mode: .enhancedRetransmission)
    (option.transmitWindow, option.maximumTransmissions, option.mps) = (3, 2, 48)
    let request = ConfigurationRequest(destination: ours, options: [ConfigurationOption(option)])
    let accept = { (script: inout Script) in
      script.signal(ChannelConnectionRequest(psm: .audioVideoDistribution, source: theirs))
      script.signal(request)
      script.drain()
      script.signal(ConfigurationResponse(source: ours))
    }
    return [
      seed("retransmission-segments") { script in
        accept(&script)
        script.send(200)
        script.drain()
        script.control(EnhancedControl(txSeq: 0, .start, reqSeq: 2), [3, 0, 1])
        script.control(EnhancedControl(txSeq: 1, .end, reqSeq: 2), [2, 3])
        script.drain()
      },
      seed("retransmission-losses") { script in
        accept(&script)
        script.send(20)
        script.send(20)
        script.drain()
        script.control(EnhancedControl(.reject, reqSeq: 0))
        script.drain()
        script.control(EnhancedControl(txSeq: 2, .unsegmented, reqSeq: 1), [1])
        script.control(EnhancedControl(.receiverReady, reqSeq: 1, isPoll: true))
        script.wait(seconds: 2)
        script.drain()
        script.control(EnhancedControl(.receiverNotReady, reqSeq: 2, isFinal: true))
        script.control(EnhancedControl(.selectiveReject, reqSeq: 2))
        script.drain()
      },
      seed("retransmission-silence") { script in
        script.open(2)
        script.drain()
        script.signal(ChannelConnectionResponse(destination: theirs, source: ours))
        script.drain()
        script.signal(request)
        script.signal(ConfigurationResponse(source: ours), 2)
        script.send(20)
        script.drain()
        for _ in 0..<4 {
          script.wait(seconds: 12)
          script.drain()
        }
      },
    ]
  }

  private static var other: [Seed] {
    [
      seed("several") { script in
        script.signal([8, 1, 0, 0, 10, 2, 2, 0, 2, 0, 10, 3, 2, 0, 3, 0, 10, 4, 2, 0, 1, 0, 99, 5, 0, 0])
        script.drain()
      },
      seed("asks") { script in
        for type in UInt8(1)..<4 { script.ask(type) }
        script.drain()
        script.signal(InformationResponse(extendedFeatures: [.fixedChannels]), 2)
        script.signal(CommandReject(reason: .notUnderstood), 3)
        script.wait(seconds: 40)
      },
      seed("closes") { script in
        script.accept()
        script.send(10)
        script.unpublish()
        script.drain()
        script.signal(DisconnectionRequest(destination: ours, source: theirs))
        script.accept()
        script.abort(1)
        script.drain()
        script.wait(seconds: 31)
      },
    ]
  }
}
