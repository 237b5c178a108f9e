import BLEATT
import BLECore
import BLEHCI
import BLEL2CAP
import BLESMP
import Capture
import Decoding

/// Collects what captures show about devices. The records can come from a central's host, an accessory's own host, or a sniffer.
package struct DeviceObserver {
  /// Identifies a device in a capture: by its address, as the host itself in the peripheral role, or as the peer of a connection whose beginning
  /// is missing.
  enum Key: Hashable {
    case address(UInt64)
    case ownHost(source: UInt32)
    case unknown(UInt64)
  }

  /// The maximum number of devices. Further ones are ignored.
  static let deviceLimit = 4_096
  /// The maximum number of unanswered requests that are stored.
  static let requestLimit = 64

  private var decoder = PacketDecoder()
  var devices: [Key: ObservedDevice] = [:]
  private var order: [Key] = []
  /// The source and handle of connections in which the host is the peripheral.
  private var peripheralLinks: Set<UInt64> = []
  /// The addresses that hosts set, by source.
  var ownAddresses: [UInt32: DeviceAddress] = [:]
  /// The handles of the host's advertising sets with legacy PDUs.
  var legacySets: Set<UInt8> = []
  /// Incomplete advertising data from reports.
  var fragments: [Key: [UInt8]] = [:]
  /// Incomplete extended advertising from the air.
  var chains = AdvertisingChains()
  /// The unanswered requests, by record number.
  private var requests: [Int: [UInt8]] = [:]
  private var requestOrder: [Int] = []

  /// Creates an observer that has seen nothing.
  package init() {}

  /// Creates an observer that has seen these packets, in order.
  package init(_ records: [CaptureRecord]) { for record in records { take(record) } }

  /// The devices: first those with a connection or a known server, then the others; each group in the order of first sight.
  package var found: [ObservedDevice] {
    var all: [ObservedDevice] = []
    for device in order.compactMap({ devices[$0] }) {
      // A capture can show one device twice: at its own host and on the air, or at two hosts.
      if let address = device.address, let place = all.firstIndex(where: { $0.address == address }) {
        all[place].merge(device)
      } else {
        all.append(device)
      }
    }
    return all.filter { !$0.links.isEmpty || !$0.server.isUnknown }
      + all.filter { $0.links.isEmpty && $0.server.isUnknown }
  }

  /// The number of records so far.
  package var count: Int { decoder.count }

  /// Begins another capture, whose connection handles mean other connections.
  package mutating func beginCapture() {
    decoder = PacketDecoder()
    peripheralLinks = []
    requests = [:]
    requestOrder = []
    fragments = [:]
    chains = AdvertisingChains()
    legacySets = []
  }

  /// Processes the next record.
  package mutating func take(_ record: CaptureRecord) {
    let summary = decoder.receive(record)
    switch summary.layer {
    case .command: takeCommand(summary, record)
    case .event: takeEvent(summary, record)
    case .advertising: takeAirAdvertising(summary, record)
    case .att: takeATT(summary, record)
    case .signalling: takeSignalling(summary, record)
    case .smp: takeSMP(summary, record)
    case .linkData where summary.opcode == LinkDataKind.encrypted:
      change(key(of: summary)) { $0.unreadable += 1 }
    default: break
    }
  }

  // MARK: Devices

  /// Changes a device, and creates it first if it is new.
  mutating func change(_ key: Key, _ body: (inout ObservedDevice) -> Void) {
    if devices[key] == nil {
      guard devices.count < Self.deviceLimit else { return }
      order.append(key)
    }
    body(&devices[key, default: ObservedDevice()])
  }

  /// Returns the device of a packet on a connection.
  private func key(of summary: PacketSummary) -> Key {
    if isOwn(summary) { return .ownHost(source: summary.source) }
    if let address = summary.address { return .address(address) }
    let link = summary.accessAddress.map(UInt64.init) ?? UInt64(summary.handle ?? 0)
    return .unknown(UInt64(summary.source) << 32 | link)
  }

  /// Whether the host of the capture is the peripheral of this connection.
  private func isOwn(_ summary: PacketSummary) -> Bool {
    guard !summary.isOnAir, let handle = summary.handle else { return false }
    return peripheralLinks.contains(Self.link(summary.source, handle))
  }

  private static func link(_ source: UInt32, _ handle: UInt16) -> UInt64 { UInt64(source) << 16 | UInt64(handle) }

  /// Returns whether the device sent a packet, and not its central.
  private func isFromDevice(_ summary: PacketSummary) -> Bool { (summary.sender == .peer) != isOwn(summary) }

  // MARK: Events

  private mutating func takeEvent(_ summary: PacketSummary, _ record: CaptureRecord) {
    let octets = record.octets
    guard summary.fault == nil else { return }
    switch summary.opcode {
    case 0x3E02, 0x3E0D: takeReports(summary, Array(octets.dropFirst(4)))
    case 0x3E01, 0x3E0A, 0x3E29:
      guard summary.status == 0, let handle = summary.handle, octets.count > 8 else { return }
      let isPeripheral = octets[7] == 1
      let link = Self.link(summary.source, handle)
      if isPeripheral { peripheralLinks.insert(link) } else { peripheralLinks.remove(link) }
      begin(key(of: summary), address: isPeripheral ? nil : summary.address, type: octets[8], at: summary.nanoseconds)
    case 0x3E06:
      // LE Remote Connection Parameter Request: subevent, handle, shortest, longest, latency, timeout.
      let words = Self.words(octets.dropFirst(6))
      guard words.count >= 4 else { return }
      noteParameters(words, summary)
    case 0x08, 0x30, 0x59:
      guard summary.status == 0, summary.handle != nil else { return }
      let key = key(of: summary)
      change(key) { device in
        guard let last = device.links.indices.last else { return }
        device.links[last].isEncrypted = true
      }
    default: break
    }
  }

  private mutating func begin(_ key: Key, address: UInt64?, type: UInt8, at time: Int64) {
    change(key) { device in
      if let address { device.address = DeviceAddress(bits: address) }
      device.addressType = AddressType(rawValue: type & 1)
      device.links.append(ObservedLink(begin: time))
    }
  }

  private mutating func noteParameters(_ words: [UInt16], _ summary: PacketSummary) {
    change(key(of: summary)) { device in
      guard device.parameters == nil else { return }
      let after = device.links.last.map { Duration.nanoseconds(max(0, summary.nanoseconds &- $0.begin)) }
      device.parameters = ObservedParameters(
        shortest: words[0], longest: words[1], latency: words[2], timeout: words[3], after: after)
    }
  }

  /// Returns octets as little-endian words.
  static func words(_ octets: ArraySlice<UInt8>) -> [UInt16] {
    let octets = Array(octets)
    return stride(from: 0, to: octets.count - 1, by: 2).map { UInt16(octets[$0]) | UInt16(octets[$0 + 1]) << 8 }
  }

  // MARK: Signalling and security

  private mutating func takeSignalling(_ summary: PacketSummary, _ record: CaptureRecord) {
    let pdu = Array(summary.octets(in: record))
    guard pdu.count >= 4 else { return }
    let words = Self.words(pdu.dropFirst(4))
    switch SignallingCode(rawValue: pdu[0]) {
    case .connectionParameterUpdateRequest where isFromDevice(summary) && words.count >= 4:
      noteParameters(words, summary)
    case .creditBasedConnectionRequest where !isFromDevice(summary) && !words.isEmpty:
      remember(pdu, summary.number)
    case .creditBasedConnectionResponse where isFromDevice(summary) && words.count >= 5:
      guard let request = takeRequest(summary.request) else { return }
      let psm = UInt16(request[4]) | UInt16(request[5]) << 8
      change(key(of: summary)) { $0.channels[psm] = ObservedChannel(result: words[4], mtu: words[1]) }
    default: break
    }
  }

  private mutating func takeSMP(_ summary: PacketSummary, _ record: CaptureRecord) {
    let pdu = Array(summary.octets(in: record))
    guard isFromDevice(summary), let code = pdu.first else { return }
    switch SMPCode(rawValue: code) {
    case .pairingResponse:
      guard let response = try? PairingResponse(decoding: Array(pdu.dropFirst())) else { return }
      change(key(of: summary)) { $0.pairing = response.features }
    case .securityRequest:
      change(key(of: summary)) { device in
        guard let begin = device.links.last?.begin, device.securityRequest == nil else { return }
        device.securityRequest = .nanoseconds(max(0, summary.nanoseconds &- begin))
      }
    default: break
    }
  }

  // MARK: ATT

  private mutating func takeATT(_ summary: PacketSummary, _ record: CaptureRecord) {
    let pdu = Array(summary.octets(in: record))
    guard summary.fault == nil, let code = pdu.first else { return }
    let kind = ATTOpcode(rawValue: code).kind
    guard kind.isForClient == isFromDevice(summary) else {
      // The device's own client, which uses services of the central.
      if kind == .request { change(key(of: summary)) { $0.clientRequests += 1 } }
      return
    }
    if kind == .request { remember(pdu, summary.number) }
    let request = kind == .response ? takeRequest(summary.request) : nil
    let values = AttributeValues(summary, record).entries
    change(key(of: summary)) { device in
      let isEncrypted = device.links.last?.isEncrypted ?? false
      let access = ATTAccess(
        pdu: pdu, request: request, values: values, time: summary.nanoseconds, isEncrypted: isEncrypted)
      access.apply(to: &device)
    }
  }

  private mutating func remember(_ pdu: [UInt8], _ number: Int) {
    requests[number] = pdu
    requestOrder.append(number)
    if requestOrder.count > Self.requestLimit { requests[requestOrder.removeFirst()] = nil }
  }

  private mutating func takeRequest(_ number: Int?) -> [UInt8]? {
    guard let number else { return nil }
    return requests.removeValue(forKey: number)
  }
}
