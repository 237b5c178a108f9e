import BLECore
import Capture
import Decoding

/// One conversation in a capture: an attribute with all its requests, responses and notifications, a channel
/// from the request that opens it to its end, or pairings.
///
/// It must see every packet in order, because only the opening of a channel gives its CIDs.
package struct Following: Sendable {
  /// What to follow.
  package enum Subject: Hashable, Sendable {
    /// The attribute with this handle. If it is a characteristic, also its descriptors.
    case handle(UInt16)
    /// Characteristics of this type, with their descriptors.
    case type(BluetoothUUID)
    /// Attributes whose names contain this text.
    case name(String)
    /// The channel with this CID at either end.
    case channel(UInt16)
    /// Channels to this SPSM.
    case psm(UInt16)
    /// All pairings, or the one with this number, counted from 1.
    case pairing(Int?)
  }

  /// The possible subjects, for messages.
  package static let forms =
    "a handle (0x0012), a UUID or its name (2A37, heart-rate-measurement), part of an attribute's name, "
    + "channel:0x41, psm:0x80, pairing, pairing:2"

  /// What to follow.
  package let subject: Subject
  /// The CIDs of the followed channels' ends, by connection.
  private var ends: [UInt64: Set<UInt16>] = [:]
  /// The signalling requests that belong to the conversation; at most as many as can be open.
  private var requests: [Int] = []
  /// The connections with a followed pairing. The encryption of such a link belongs to the pairing.
  private var pairingLinks: [UInt64: Int] = [:]

  private static let requestLimit = 64
  private static let linkLimit = 256

  /// Follows a subject.
  package init(_ subject: Subject) { self.subject = subject }

  /// Parses a subject.
  package init(parsing text: String) throws(FollowingFault) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first?.lowercased(), parts.count) {
    case ("pairing", 1): subject = .pairing(nil)
    case ("pairing", 2):
      guard let number = Int(parts[1]), number > 0 else { throw FollowingFault(text) }
      subject = .pairing(number)
    case ("channel", 2):
      guard let number = Self.word(parts[1]) else { throw FollowingFault(text) }
      subject = .channel(number)
    case ("psm", 2):
      guard let number = Self.word(parts[1]) else { throw FollowingFault(text) }
      subject = .psm(number)
    default:
      let name = text.lowercased().split(separator: " ").joined(separator: "-")
      if text.lowercased().hasPrefix("0x") {
        guard let handle = Self.word(text), handle > 0 else { throw FollowingFault(text) }
        subject = .handle(handle)
      } else if let uuid = BluetoothUUID(text) ?? AssignedName.uuid(named: name) {
        subject = .type(uuid)
      } else if !text.isEmpty {
        subject = .name(text.lowercased())
      } else {
        throw FollowingFault(text)
      }
    }
  }

  private static func word(_ text: String) -> UInt16? {
    text.lowercased().hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
  }

  /// Returns whether a packet that was just received belongs to the conversation.
  package mutating func accepts(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> Bool {
    switch subject {
    case .handle, .type, .name: concernsAttribute(summary, record, decoder)
    case .channel, .psm: concernsChannel(summary, record, decoder)
    case .pairing(let number): concernsPairing(summary, number, decoder)
    }
  }

  // MARK: Attributes

  private func concernsAttribute(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> Bool {
    guard summary.layer == .att, let first = summary.attributeIndex, !Self.isDiscovery(summary) else { return false }
    if isFollowed(first, decoder) { return true }
    guard summary.opcode == AttributeValues.multipleNotification else { return false }
    return AttributeValues(summary, record).entries.contains { handle, _ in
      var place = first
      place.handle = handle
      return isFollowed(place, decoder)
    }
  }

  /// Returns whether a packet is a request for a range of handles, or its answer. These concern many attributes.
  private static func isDiscovery(_ summary: PacketSummary) -> Bool {
    (0x04...0x09).contains(summary.opcode) || (0x10...0x11).contains(summary.opcode)
      || summary.opcode == 0x01 && summary.command.map { (0x04...0x08).contains($0) || $0 == 0x10 } ?? false
  }

  /// Returns whether an attribute is followed, or belongs to the followed characteristic.
  package func isFollowed(_ place: AttributePlace, _ decoder: borrowing PacketDecoder) -> Bool {
    switch subject {
    case .handle(let handle): place.handle == handle || decoder.characteristic(at: place)?.handle == handle
    case .type(let uuid): decoder.attributeType(at: place) == uuid || decoder.characteristicType(at: place) == uuid
    case .name(let text): decoder.attributeName(at: place)?.lowercased().contains(text) ?? false
    default: false
    }
  }

  // MARK: Channels

  private mutating func concernsChannel(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> Bool {
    let link = summary.link
    switch summary.layer {
    case .signalling: return concernsSignalling(summary, record, decoder, link)
    case .channel:
      if case .psm(let psm) = subject, summary.opcode == psm { return true }
      return summary.channel.map { isEnd($0, of: link) } ?? false
    case .l2cap, .att, .smp,
      _ where summary.layer.isClassic:
      return summary.channel.map { isEnd($0, of: link) } ?? false
    default: return false
    }
  }

  private func isEnd(_ number: UInt16, of link: UInt64) -> Bool {
    if case .channel(number) = subject { return true }
    return ends[link]?.contains(number) ?? false
  }

  private mutating func concernsSignalling(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder, _ link: UInt64
  ) -> Bool {
    guard let packet = decoder.tree(of: summary, in: record).last else { return false }
    var numbers: [UInt16] = []
    var psm: UInt16?
    for field in packet.fields {
      guard let number = field.number.map({ UInt16(truncatingIfNeeded: $0) }) else { continue }
      if field.name.contains("CID") { numbers.append(number) }
      if field.name == "SPSM" || field.name == "PSM" { psm = number }
    }
    let isAsked = summary.request.map { requests.contains($0) } ?? false
    var isFollowed = isAsked || numbers.contains { isEnd($0, of: link) }
    if case .psm(let wanted) = subject, wanted == psm { isFollowed = true }
    guard isFollowed else { return false }
    if ends.count < Self.linkLimit || ends[link] != nil {
      ends[link, default: []].formUnion(numbers.filter { $0 != 0 })
    }
    // After a Disconnection Response the CIDs can belong to another channel.
    if summary.opcode == 0x07 { ends[link]?.subtract(numbers) }
    requests.append(summary.number)
    if requests.count > Self.requestLimit { requests.removeFirst() }
    return true
  }

  // MARK: Pairings

  private mutating func concernsPairing(
    _ summary: PacketSummary, _ number: Int?, _ decoder: borrowing PacketDecoder
  ) -> Bool {
    let link = summary.link
    if summary.layer == .smp {
      let place = summary.request.flatMap { first in decoder.pairings.firstIndex { $0.number == first } }
      guard number == nil || place == number.map({ $0 - 1 }) else {
        pairingLinks[link] = nil
        return false
      }
      if pairingLinks.count < Self.linkLimit { pairingLinks[link] = place ?? 0 }
      return true
    }
    guard Self.isEncryption(summary) else { return false }
    // If all pairings are followed, encryption with an earlier bond is followed too.
    return number == nil || pairingLinks[link] != nil
  }

  /// Returns whether a packet encrypts a link: HCI_LE_Enable_Encryption, the Long Term Key request and its replies, the events about
  /// encryption, and the link layer's procedure (Core 5.4 Vol 4 Part E 7.8.24 to .26, 7.7.8, .39, .65.5, Vol 6 Part B 5.1.3).
  private static func isEncryption(_ summary: PacketSummary) -> Bool {
    switch summary.layer {
    case .command: (0x2019...0x201B).contains(summary.opcode)
    case .event: [0x08, 0x30, 0x59, 0x3E05].contains(summary.opcode)
    case .linkControl: (0x03...0x06).contains(summary.opcode) || (0x0A...0x0B).contains(summary.opcode)
    default: false
    }
  }
}

/// The error for a subject that cannot be followed.
package struct FollowingFault: Error, Hashable, CustomStringConvertible {
  private let text: String

  init(_ text: String) { self.text = text }

  package var description: String { "`\(text)` cannot be followed: give \(Following.forms)" }
}
