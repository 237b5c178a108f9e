import BLECore
import BLEL2CAP

/// The inputs of `L2CAPTarget`.
enum L2CAPSeeds {
  static var all: [Seed] { links + recombination + hosts }

  /// A script of the steps that a link with channels takes.
  private struct LinkScript {
    var octets: [UInt8]

    init(isCentral: Bool = false, _ write: (inout LinkScript) -> Void) {
      octets = [0, isCentral ? 1 : 0]
      write(&self)
    }

    mutating func signal(_ packet: some SignallingPacket, _ identifier: UInt8 = 1) {
      var buffer = OctetBuffer()
      packet.encodePacket(identifier: identifier, into: &buffer)
      octets += [0, UInt8(buffer.count)] + buffer.copy()
    }

    /// Sends a frame on a channel, whose number is one octet.
    mutating func frame(_ channel: UInt8, _ payload: [UInt8]) {
      octets += [1, channel, UInt8(payload.count)] + payload
    }

    mutating func open(mtu: UInt16 = 100, mps: UInt16 = 50, credits: UInt8 = 10) {
      octets += [3, UInt8(mtu & 0xFF), UInt8(mtu >> 8), UInt8(mps & 0xFF), UInt8(mps >> 8), credits]
    }

    mutating func openEnhanced(_ count: UInt8) { octets += [4, count, 200, 0, 100, 0, 5] }
    mutating func close(_ place: UInt8) { octets += [5, place] }
    mutating func abort(_ place: UInt8) { octets += [6, place] }
    mutating func send(_ count: UInt16, _ place: UInt8) {
      octets += [7, UInt8(count & 0xFF), UInt8(count >> 8), place]
    }
    mutating func hold(_ place: UInt8, _ isHeld: Bool) { octets += [8, place, isHeld ? 1 : 0] }
    mutating func reconfigure(_ one: UInt8, _ two: UInt8) { octets += [10, one, two, 0, 2, 0, 1] }
    mutating func time(milliseconds: UInt16) { octets += [11, UInt8(milliseconds & 0xFF), UInt8(milliseconds >> 8)] }
    mutating func encrypt() { octets += [12, 0] }
    mutating func unpublish() { octets += [12, 1] }
    mutating func authorize(_ isGranted: Bool) { octets += [12, 3, isGranted ? 1 : 0] }
    mutating func drain(_ count: UInt8 = 20) { octets += [13, count] }
  }

  private static func request(
    psm: UInt16 = 0x0080, source: UInt16 = 0x0050, credits: UInt16 = 5
  ) -> LECreditBasedConnectionRequest {
    var request = LECreditBasedConnectionRequest()
    request.psm = SPSM(rawValue: psm)
    request.source = ChannelID(rawValue: source)
    (request.mtu, request.mps, request.initialCredits) = (200, 60, credits)
    return request
  }

  private static func response(_ destination: UInt16, result: UInt16 = 0) -> LECreditBasedConnectionResponse {
    var response = LECreditBasedConnectionResponse()
    response.destination = ChannelID(rawValue: destination)
    (response.mtu, response.mps, response.initialCredits) = (200, 60, 3)
    response.result = CreditBasedResult(rawValue: result)
    return response
  }

  private static func enhancedRequest(_ sources: [UInt16]) -> CreditBasedConnectionRequest {
    var request = CreditBasedConnectionRequest()
    request.psm = SPSM(rawValue: 0x0082)
    (request.mtu, request.mps, request.initialCredits) = (300, 100, 8)
    request.sources = sources.map { ChannelID(rawValue: $0) }
    return request
  }

  private static func enhancedResponse(_ destinations: [UInt16], result: UInt16 = 0) -> CreditBasedConnectionResponse {
    var response = CreditBasedConnectionResponse()
    (response.mtu, response.mps, response.initialCredits) = (300, 100, 8)
    response.result = CreditBasedResult(rawValue: result)
    response.destinations = destinations.map { ChannelID(rawValue: $0) }
    return response
  }

  private static func reconfigureRequest(_ destinations: [UInt16], mtu: UInt16 = 400) -> CreditBasedReconfigureRequest {
    var request = CreditBasedReconfigureRequest()
    (request.mtu, request.mps) = (mtu, 200)
    request.destinations = destinations.map { ChannelID(rawValue: $0) }
    return request
  }

  private static func disconnection(_ destination: UInt16, _ source: UInt16) -> DisconnectionRequest {
    DisconnectionRequest(destination: ChannelID(rawValue: destination), source: ChannelID(rawValue: source))
  }

  private static func credit(_ source: UInt16, _ credits: UInt16) -> FlowControlCredit {
    FlowControlCredit(source: ChannelID(rawValue: source), credits: credits)
  }

  private static var links: [Seed] {
    [
      Seed(
        "peer-opens-and-sends",
        LinkScript {
          $0.signal(request()); $0.frame(0x40, [3, 0, 1, 2, 3]);
          $0.frame(0x40, [60, 0] + [UInt8](repeating: 7, count: 40))
          $0.frame(0x40, [UInt8](repeating: 8, count: 20)); $0.drain(); $0.send(90, 0); $0.drain()
          $0.signal(credit(0x50, 3), 2); $0.signal(disconnection(0x40, 0x50), 3)
        }.octets),
      Seed(
        "owner-opens-and-closes",
        LinkScript {
          $0.open(); $0.drain(1); $0.signal(response(0x51)); $0.send(300, 0); $0.drain(); $0.close(0)
          $0.signal(credit(0x51, 20), 2); $0.drain(); $0.time(milliseconds: 31_000)
        }.octets),
      Seed(
        "owner-is-refused",
        LinkScript {
          $0.open(); $0.drain(1); $0.signal(response(0, result: 2)); $0.open(); $0.drain(1)
          $0.signal(CommandReject(), 2)
        }.octets),
      Seed(
        "no-answers",
        LinkScript {
          $0.open(); $0.openEnhanced(3); $0.drain(); $0.time(milliseconds: 31_000); $0.close(0)
          $0.signal(response(0x52)); $0.time(milliseconds: 65_000)
        }.octets),
      Seed(
        "enhanced-from-peer",
        LinkScript {
          $0.signal(enhancedRequest([0x50, 0x51, 0x52])); $0.frame(0x41, [1, 0, 9])
          $0.signal(reconfigureRequest([0x50, 0x51]), 2); $0.send(350, 1); $0.drain()
        }.octets),
      Seed(
        "enhanced-from-owner",
        LinkScript {
          $0.openEnhanced(3); $0.drain(1); $0.signal(enhancedResponse([], result: 0x000D))
          $0.signal(enhancedResponse([0x50, 0, 0x52], result: 4)); $0.reconfigure(0, 2); $0.drain()
          $0.signal(CreditBasedReconfigureResponse(), 2); $0.abort(2); $0.drain()
        }.octets),
      Seed(
        "authorization",
        LinkScript {
          $0.signal(request(psm: 0x0081)); $0.signal(request(psm: 0x0081, source: 0x51), 2); $0.authorize(true)
          $0.authorize(false); $0.drain(); $0.frame(0x40, [1, 0, 9])
        }.octets),
      Seed(
        "encryption",
        LinkScript {
          $0.signal(request(psm: 0x0083)); $0.encrypt(); $0.signal(request(psm: 0x0083), 2)
        }.octets),
      Seed(
        "violations",
        LinkScript {
          $0.signal(request()); $0.frame(0x40, [0xFF, 0xFF, 1]); $0.drain(); $0.signal(request(source: 0x51), 2)
          $0.frame(0x41, [1]); $0.signal(request(source: 0x52), 3); $0.signal(credit(0x52, 0xFFFF), 4); $0.drain()
          $0.signal(request(source: 0x52), 5); $0.signal(request(source: 0x20), 6)
        }.octets),
      Seed(
        "held-back",
        LinkScript {
          $0.signal(request(credits: 0)); $0.hold(0, true); for _ in 0..<11 { $0.frame(0x40, [1, 0, 9]) }
          $0.hold(0, false); $0.drain(); $0.unpublish(); $0.drain()
        }.octets),
      Seed(
        "parameters",
        LinkScript(isCentral: true) {
          var request = ConnectionParameterUpdateRequest()
          (request.intervalMinimum, request.intervalMaximum, request.timeout) = (12, 24, 400)
          $0.signal(request); $0.signal(ConnectionParameterUpdateRequest(), 2)
          $0.signal(ConnectionParameterUpdateResponse(), 3)
        }.octets),
      Seed("unknown-code", LinkScript { $0.octets += [2, 0x08, 1, 4, 1, 2, 3, 4, 2, 0x0A, 1, 2, 2, 0] }.octets),
    ]
  }

  private static var recombination: [Seed] {
    let frame: [UInt8] = [6, 0, 4, 0, 1, 2, 3, 4, 5, 6]
    return [
      Seed("recombine-whole", [1, 100, 2, 10] + frame + [0, 10] + frame),
      Seed("recombine-parts", [1, 100, 2, 3] + frame[..<3] + [1, 3] + frame[3..<6] + [1, 4] + frame[6...]),
      Seed("recombine-abandoned", [1, 100, 2, 3] + frame[..<3] + [2, 10] + frame + [1, 1, 9]),
      Seed("recombine-too-long", [1, 20, 2, 12] + frame + [7, 7, 2, 4, 200, 0, 4, 0, 3, 1, 1]),
    ]
  }

  private static var hosts: [Seed] {
    var buffer = OctetBuffer()
    request().encodePacket(identifier: 1, into: &buffer)
    let opening = buffer.copy()
    return [
      Seed(
        "host-echo",
        HostScript {
          $0.frame(0, channel: 5, opening); $0.frame(0, channel: 0x40, [3, 0, 1, 2, 3]);
          $0.frame(1, channel: 5, opening)
          $0.frame(1, channel: 0x40, length: 9, [40, 0] + [UInt8](repeating: 1, count: 40)); $0.disconnect(0)
        }.l2cap),
      Seed(
        "host-opens",
        HostScript {
          $0.channelWish(0, 0, 0)
          var answer = OctetBuffer()
          response(0x50).encodePacket(identifier: 1, into: &answer)
          $0.frame(0, channel: 5, answer.copy()); $0.channelWish(1, 0, 0, 7, 50, 0); $0.channelWish(2, 0, 0, 1)
          $0.channelWish(3, 0, 0); $0.channelWish(5, 0, 0); $0.channelWish(6, 0, 0)
        }.l2cap),
      Seed(
        "host-fragments",
        HostScript {
          $0.data(0, 2, [3, 0, 4]); $0.data(1, 2, [3, 0, 4, 0]); $0.data(0, 1, [0, 0x0A, 3, 0]);
          $0.data(1, 1, [0x0A, 3, 0])
          $0.data(0, 1, [1]); $0.data(0, 3, [1])
        }.l2cap),
      Seed(
        "host-full",
        HostScript {
          $0.mood(0, completes: false); for _ in 0..<8 { $0.read(0); $0.read(1) }
          $0.freeBuffers(); $0.disconnect(0); $0.freeBuffers()
        }.l2cap),
      Seed(
        "host-pairing",
        HostScript {
          $0.frame(0, channel: 6, [1, 3, 0, 1, 16, 0, 0]); $0.frame(0, channel: 6, [])
        }.l2cap),
      Seed(
        "host-parameters",
        HostScript {
          $0.time(12, long: true); $0.frame(0, channel: 5, [0x13, 1, 2, 0, 0, 0])
        }.l2cap),
    ]
  }
}
