import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLESMP
import Importing

/// Turns an observed device into the description from which `ProfileWriter` writes a profile.
struct DeviceDrafting {
  private let device: ObservedDevice
  /// The capture to replay values from, relative to the profile; nil for none.
  private let recording: String?
  /// Whether to write the handles, because the default ones would differ.
  var fixesHandles = false
  /// What could not be learnt, one line each.
  private(set) var gaps: [String] = []
  /// The device's answers to writes.
  private(set) var replies = ObservedReplies(ObservedServer())
  /// The ids of characteristics that rules refer to, by value handle.
  private var namedCharacteristics: [UInt16: String] = [:]

  init(_ device: ObservedDevice, recording: String?) {
    self.device = device
    self.recording = recording
  }

  /// The device's server.
  var observed: ObservedServer { device.server }

  /// Returns the description.
  mutating func make() -> ImportedDatabase {
    gaps = []
    var database = ImportedDatabase(name: device.deviceName ?? device.name ?? "Unnamed Device")
    describeIdentity(&database)
    describeAdvertising(&database)
    describeConnection(&database)
    describeSecurity(&database)
    describeCaching(&database)
    describeServices(&database)
    describeChannels(&database)
    if device.unreadable > 0 { gaps.append("\(device.unreadable) packets are encrypted and could not be read") }
    if device.clientRequests > 0 {
      gaps.append("it used services of the central (\(device.clientRequests) requests); this profile does not")
    }
    return database
  }

  // MARK: Identity

  private func describeIdentity(_ database: inout ImportedDatabase) {
    if let value = observed.lastValue(of: BluetoothUUID(0x2A01)), value.count == 2 {
      database.appearance = Appearance(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
    }
    var isPrivate =
      observed.valueHandle(of: BluetoothUUID(0x2AA6)) != nil && observed.valueHandle(of: BluetoothUUID(0x2AC9)) != nil
    var comment: String?
    if let address = device.address {
      switch (device.addressType, address.bits >> 46) {
      case (.publicDevice, _): comment = "The device has the public address \(address)."
      case (_, 0b01):
        isPrivate = true
        comment = "The device has resolvable private addresses."
      case (_, 0b00): comment = "The device has non-resolvable private addresses."
      default: comment = "The device has the address \(address)."
      }
    }
    database.identityKeys = [
      ImportedKey("address", isPrivate ? "private" : "static", comments: comment.map { [$0] } ?? [])
    ]
  }

  private mutating func describeAdvertising(_ database: inout ImportedDatabase) {
    guard !device.sets.isEmpty else {
      gaps.append("no advertisement was seen: the profile has the default advertising")
      return
    }
    var taken: Set<String> = []
    database.advertising = device.sets.filter { !$0.data.isEmpty }.prefix(16).map { set in
      let base = set.key.isLegacy ? "main" : "extended"
      var (id, number) = (base, 1)
      while !taken.insert(id).inserted {
        number += 1
        id = "\(base)-\(number)"
      }
      return ImportedAdvertisingSet(set, id: id)
    }
  }

  // MARK: Connection

  private mutating func describeConnection(_ database: inout ImportedDatabase) {
    if let mtu = device.mtu, (23...517).contains(mtu) { database.connection.mtu = mtu }
    let preferred = observed.lastValue(of: BluetoothUUID(0x2A04)).flatMap { Self.parameters($0) }
    guard let request = (device.parameters ?? preferred).flatMap({ Self.request($0) }) else { return }
    database.connection.request = request
    if device.parameters == nil {
      database.connection.comments = ["The device prefers these parameters, but did not request them."]
    } else if preferred == nil {
      gaps.append("it requests connection parameters, but Peripheral Preferred Connection Parameters was not read")
    }
  }

  private static func parameters(_ value: [UInt8]) -> ObservedParameters? {
    let words = DeviceObserver.words(value[...])
    guard words.count == 4 else { return nil }
    return ObservedParameters(shortest: words[0], longest: words[1], latency: words[2], timeout: words[3], after: nil)
  }

  private static func request(_ parameters: ObservedParameters) -> ImportedConnection.Request? {
    guard (6...3200).contains(parameters.shortest), (parameters.shortest...3200).contains(parameters.longest),
      parameters.latency < 500, (10...3200).contains(parameters.timeout)
    else { return nil }
    // Round the measured delay, because a person chose a round one.
    let delay = parameters.after.flatMap {
      $0 < .milliseconds(10) ? nil : Durations.parse(RoundText.duration($0.seconds))
    }
    return ImportedConnection.Request(
      intervals: .microseconds(1250 * Int(parameters.shortest)) ... .microseconds(1250 * Int(parameters.longest)),
      latency: Int(parameters.latency), timeout: .milliseconds(10 * Int(parameters.timeout)), delay: delay)
  }

  // MARK: Security

  private static let capabilities: [UInt8: String] = [
    0: "display", 1: "compare", 2: "keyboard", 3: "just-works", 4: "keyboard-display",
  ]

  private func describeSecurity(_ database: inout ImportedDatabase) {
    var security: ImportedSecurity?
    if let features = device.pairing {
      var found = ImportedSecurity(pairing: Self.capabilities[features.ioCapability] ?? "just-works")
      if !features.requirements.contains(.bonding) { found.keys.append(ImportedKey("bonding", "false")) }
      if !features.requirements.contains(.secureConnections) {
        found.keys.append(ImportedKey("secure-connections", "none"))
      }
      if (7...15).contains(features.maximumKeySize) {
        found.keys.append(ImportedKey("key-size", "{ maximum: \(features.maximumKeySize) }"))
      }
      security = found
    } else if let need = strongestNeed {
      security = ImportedSecurity(
        pairing: need == .encrypted ? "just-works" : "display",
        comments: ["Assumed: the device refused access on an unencrypted link, and no pairing was seen."])
    }
    if device.securityRequest != nil { security?.keys.append(ImportedKey("request", "on-connection")) }
    database.security = security
  }

  private var strongestNeed: LinkProtection? {
    observed.refusals.values.joined().compactMap { Self.need(of: $0) }.max()
  }

  /// Describes Generic Attribute: Service Changed, caching and enhanced bearers.
  private func describeCaching(_ database: inout ImportedDatabase) {
    guard observed.services.values.contains(where: { $0.uuid == BluetoothUUID(0x1801) }) else { return }
    database.gatt.hasServiceChanged = observed.valueHandle(of: .serviceChanged) != nil
    database.gatt.hasRobustCaching = observed.valueHandle(of: .databaseHash) != nil
    if let features = observed.lastValue(of: .serverSupportedFeatures)?.first, features & 1 == 1 {
      database.gatt.keys = [ImportedKey("eatt", "5")]
    }
    let sizes = observed.services.sorted { $0.key < $1.key }.map { $0.value.uuid.octetCount }
    database.gatt.keepsOrder = sizes != sizes.sorted()
  }

  // MARK: Services

  private mutating func describeServices(_ database: inout ImportedDatabase) {
    if observed.services.isEmpty, !observed.declarations.isEmpty {
      gaps.append("the discovery of services is missing: its characteristics are left out")
    }
    let own = observed.services.filter { !$0.value.isAddedByHost }.sorted { $0.key < $1.key }
    namedCharacteristics = [:]
    // Rules can refer to characteristics further down, so the ids come first.
    replies = ObservedReplies(observed)
    for (number, handle) in replies.handles.sorted().enumerated() {
      guard let declaration = observed.declarations.values.first(where: { $0.value == handle }) else { continue }
      let isAlone = observed.declarations.values.count { $0.uuid == declaration.uuid } == 1
      let name = declaration.uuid.assignedName.flatMap { $0.kind == .characteristic && isAlone ? $0.name : nil }
      namedCharacteristics[handle] = name ?? "answer-\(number + 1)"
    }
    for (start, service) in own {
      var described = ImportedService(uuid: service.uuid)
      described.isPrimary = service.isPrimary
      described.handle = fixesHandles ? start : nil
      let includes = observed.includes.filter { $0.key > start && $0.key <= service.end }.sorted { $0.key < $1.key }
      described.includes = includes.compactMap { include in own.firstIndex { $0.key == include.value.start } }
      let declarations = observed.declarations.filter { $0.key > start && $0.key <= service.end }
        .sorted { $0.key < $1.key }
      for (place, declaration) in declarations.enumerated() {
        let end = place + 1 < declarations.count ? declarations[place + 1].key - 1 : service.end
        described.characteristics.append(
          characteristic(declaration.value, declaredAt: declaration.key, end: end))
      }
      database.services.append(described)
    }
    noteHostServices()
  }

  /// Notes the characteristics of Generic Access and Generic Attribute that the host cannot add.
  private mutating func noteHostServices() {
    let known: Set<UInt16> = [0x2A00, 0x2A01, 0x2A04, 0x2AA6, 0x2AC9, 0x2A05, 0x2B29, 0x2B2A, 0x2B3A]
    for (start, service) in observed.services.sorted(by: { $0.key < $1.key }) where service.isAddedByHost {
      let inside = observed.declarations.filter { $0.key > start && $0.key <= service.end }
      for (_, declaration) in inside.sorted(by: { $0.key < $1.key }) {
        guard !known.contains(declaration.uuid.short ?? 0) else { continue }
        gaps.append("a profile cannot define \(declaration.uuid.profileName) of \(service.uuid.profileName)")
      }
    }
  }

  private mutating func characteristic(
    _ declaration: ObservedServer.Declaration, declaredAt start: UInt16, end: UInt16
  ) -> ImportedCharacteristic {
    let handle = declaration.value
    var result = ImportedCharacteristic(
      id: namedCharacteristics[handle], uuid: declaration.uuid, properties: declaration.properties)
    result.handle = fixesHandles ? start : nil
    describeAccess(of: handle, &result)
    describeValue(of: handle, &result)
    let descriptors = observed.types.filter { $0.key > handle && $0.key <= end }.sorted { $0.key < $1.key }
    for (place, uuid) in descriptors where !uuid.isDeclaration {
      let value = observed.samples[place]?.last?.value ?? []
      if uuid == .userDescription { result.name = String(validating: value, as: UTF8.self) }
      var descriptor = ImportedDescriptor(uuid: uuid, value: value)
      descriptor.handle = fixesHandles ? place : nil
      result.descriptors.append(descriptor)
    }
    return result
  }

  private mutating func describeValue(of handle: UInt16, _ result: inout ImportedCharacteristic) {
    let samples = observed.samples[handle] ?? []
    let learner = ValueLearner(samples, uuid: result.uuid, handle: handle, recording: recording)
    guard let learnt = learner.learn() else {
      guard result.properties.contains(.read) else { return }
      result.comments.append("Its value is not known.")
      gaps.append("\(result.uuid.profileName) at \(handle.hexadecimalText) was never read")
      return
    }
    result.value = learnt.value
    result.format = learnt.format
    if !learnt.reason.isEmpty { result.comments.append("The value: \(learnt.reason).") }
    if result.properties.contains(.notify) {
      result.notify = learnt.rhythm
    } else if result.properties.contains(.indicate) {
      result.indicate = learnt.rhythm
    }
  }

  /// Returns the id of the characteristic with that value handle; nil if it has no id yet.
  func id(of handle: UInt16) -> String? { namedCharacteristics[handle] }

  // MARK: Channels

  /// The UUID that Apple defines for characteristics with the PSM of a channel.
  private static let psmCharacteristic = BluetoothUUID("ABDD3056-28FA-441D-A470-55A75A52553A")

  /// Describes the channels that a central opened, and those whose PSM a characteristic publishes.
  private func describeChannels(_ database: inout ImportedDatabase) {
    var psms: [UInt16: String] = [:]
    for (psm, channel) in device.channels where channel.result == 0 {
      psms[psm] = "A central opened it; how it uses data is not known."
    }
    for declaration in observed.declarations.values.sorted(by: { $0.value < $1.value })
    where declaration.uuid == Self.psmCharacteristic {
      guard let value = observed.samples[declaration.value]?.last?.value, value.count >= 2 else { continue }
      let psm = UInt16(value[0]) | UInt16(value[1]) << 8
      psms[psm] = psms[psm] ?? "A characteristic publishes its PSM; no central opened it."
    }
    for (number, (psm, comment)) in psms.sorted(by: { $0.key < $1.key }).enumerated() where (1...255).contains(psm) {
      var channel = ImportedChannel(id: "channel-\(number + 1)", psm: Int(psm), handler: "sink")
      channel.mtu = device.channels[psm].map { max(23, Int($0.mtu)) }
      channel.comments = [comment]
      database.channels.append(channel)
    }
  }
}

extension ObservedServer.Service {
  /// Whether it is Generic Access or Generic Attribute, which the host adds.
  var isAddedByHost: Bool { uuid == BluetoothUUID(0x1800) || uuid == BluetoothUUID(0x1801) }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double { Double(self / .nanoseconds(1)) / 1e9 }
}
