import BLECore
import BLEHCI

/// The first octets of a connection to one of our sockets. Whatever they are, and however they are cut, the header
/// of one packet is enough to decide whether they are H4. What a browser or a TLS client begins with is never H4.
package enum OpeningTarget: FuzzTarget {
  package static let name = "opening"
  package static let maximumLength = 256

  /// The most octets that a decision needs: the header of an ACL packet and that of its B-frame.
  private static let longestHead = 7

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    let side: H4Deframer.Side = input.flag() ? .controller : .host
    var cuts = SplitMix64(seed: UInt64(input.octet()))
    let octets = input.rest()
    let (verdict, count) = judge([octets], side)
    try require(count <= longestHead, "the decision took \(count) octets")
    try require(verdict != .undecided || octets.count < longestHead, "\(octets.hexadecimal) is not decided")
    let (single, needed) = judge(octets.map { [$0] }, side)
    try require(single.isAlike(verdict), "octet by octet the verdict is \(single), in one piece it is \(verdict)")
    var pieces: [[UInt8]] = []
    var rest = octets[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...9, using: &cuts))
      pieces.append(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    try require(judge(pieces, side).verdict.isAlike(verdict), "the verdict depends on how the octets are cut")
    try check(verdict, octets, needed, side)
  }

  /// Checks that H4 is framed from its first octet on, and that what other clients begin with is not taken for H4.
  private static func check(
    _ verdict: H4Opening.Verdict, _ octets: [UInt8], _ needed: Int, _ side: H4Deframer.Side
  ) throws(Violation) {
    guard let first = octets.first else { return try require(verdict == .undecided, "a verdict without any octets") }
    switch verdict {
    case .undecided: break
    case .h4:
      let types: [H4PacketType] = side == .controller ? [.command, .acl] : [.event, .acl]
      try require(types.contains(H4PacketType(rawValue: first)), "a packet of type \(first) is accepted")
      // A deframer takes these octets for the header of a packet, and skips none of them.
      var deframer = H4Deframer(side: side, maximumDataLength: Int(UInt16.max))
      let head = Array(octets.prefix(needed))
      deframer.push(head.span) { _, _ in }
      try require(deframer.skippedOctets == 0, "accepted octets are skipped: \(head.hexadecimal)")
    case .foreign: break
    }
    if first >= 0x06 { try require(verdict != .h4, "octets that begin with \(first) are accepted") }
  }

  /// Returns the verdict on pieces that come one after the other, and how many octets it took.
  private static func judge(
    _ pieces: [[UInt8]], _ side: H4Deframer.Side
  ) -> (verdict: H4Opening.Verdict, count: Int) {
    var opening = H4Opening(side: side)
    var count = 0
    for piece in pieces where !piece.isEmpty {
      let verdict = opening.examine(piece.span)
      count += piece.count
      if verdict != .undecided { return (verdict, min(count, longestHead)) }
    }
    return (.undecided, min(count, longestHead))
  }
}

extension H4Opening.Verdict {
  /// Returns whether both decide the same. The other details of a foreign opening depend on what has come by then.
  fileprivate func isAlike(_ other: H4Opening.Verdict) -> Bool {
    switch (self, other) {
    case (.foreign, .foreign): true
    default: self == other
    }
  }
}

extension OpeningTarget {
  package static var seeds: [Seed] {
    let hosts: [(String, [UInt8])] = [
      ("reset", HCIReset().h4), ("vendor-command", [0x01, 0x01, 0xFC, 0x00]),
      ("data-of-a-host", [0x02, 0x01, 0x00, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]),
      ("post", Array("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8) + HCIReset().h4),
      ("get", Array("GET / HTTP/1.1\r\n".utf8)), ("handshake", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
      ("websocket", Array("GET /v1/events HTTP/1.1\r\nUpgrade: websocket\r\n".utf8)), ("half", [0x01, 0x03]),
      ("nothing", []), ("event-to-a-controller", [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
    ]
    let controllers: [(String, [UInt8])] = [
      ("command-complete", [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
      ("data-of-a-controller", [0x02, 0x01, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]),
      ("command-to-a-host", HCIReset().h4), ("status-line", Array("HTTP/1.1 200 OK\r\n".utf8)),
      ("synchronous-data", [0x03, 1, 0, 2, 9, 9]), ("unknown-event", [0x04, 0x99, 0x01, 0x00]),
    ]
    return hosts.map { Seed($0.0, [1, 3] + $0.1) } + controllers.map { Seed($0.0, [0, 5] + $0.1) }
  }
}
