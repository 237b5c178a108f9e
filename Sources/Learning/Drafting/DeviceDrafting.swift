import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLESMP

/// Turns what was seen of a device into a draft of its profile.
package struct DeviceDrafting {
  private typealias Entry = ProfileDraft.Entry

  private let device: ObservedDevice
  /// The capture that values are replayed from, relative to the profile; nil for none.
  private let recording: String?
  private var draft = ProfileDraft()
  /// What could not be learnt or written, a line each.
  private var gaps: [String] = []
  private var ids: Set<String> = []
  /// The ids of characteristics, by the handles of their values.
  private var characteristicIDs: [UInt16: String] = [:]
  /// The shipped services as which services are written, by the handles of their declarations.
  private var shippedServices: [UInt16: ShippedService] = [:]

  /// Creates a drafting for a device.
  package init(_ device: ObservedDevice, recording: String?) {
    self.device = device
    self.recording = recording
  }

  /// Returns the draft, and what is not known.
  package mutating func make() -> (draft: ProfileDraft, gaps: [String]) {
    addIdentity()
    addAdvertising()
    addConnection()
    addServices()
    addSecurity()
    addChannels()
    return (draft, gaps)
  }

  /// What was seen of its observed.
  var observed: ObservedServer { device.server }

  // MARK: Identity

  private var name: String { device.deviceName ?? device.name ?? "Unnamed Device" }

  private var appearance: UInt16? {
    guard let value = observed.lastValue(of: BluetoothUUID(0x2A01)), value.count == 2 else { return nil }
    return UInt16(value[0]) | UInt16(value[1]) << 8
  }

  private mutating func addIdentity() {
    draft.entries.append(Entry("name", ValueText.text(name)))
    var identity = ["address: static"]
    var comment: String?
    if let address = device.address {
      switch (device.addressType, address.bits >> 46) {
      case (.publicDevice, _): comment = "the device has the public address \(address)"
      case (_, 0b01):
        identity = ["address: private"]
        comment = "the device has resolvable private addresses"
      case (_, 0b00): comment = "the device has non-resolvable private addresses"
      default: comment = "the device has \(address)"
      }
    }
    if observed.valueHandle(of: BluetoothUUID(0x2AA6)) != nil, observed.valueHandle(of: BluetoothUUID(0x2AC9)) != nil {
      identity = ["address: private"]
    }
    if let appearance, appearance != 0 { identity.append("appearance: \(DraftNames.hexadecimal(appearance))") }
    draft.entries.append(Entry("identity", "{ \(identity.joined(separator: ", ")) }", comment))
  }

  private mutating func addAdvertising() {
    let drafting = AdvertisingDrafting(name: name, appearance: appearance)
    let sets = device.sets.filter { !$0.data.isEmpty }
    var taken: Set<String> = []
    for set in sets.prefix(16) {
      var id = set.key.isLegacy ? "main" : "extended"
      var number = 1
      while !taken.insert(id).inserted {
        number += 1
        id = "\(set.key.isLegacy ? "main" : "extended")-\(number)"
      }
      draft.sets.append(drafting.draft(set, id: id))
    }
    if device.sets.isEmpty {
      gaps.append("no advertisement was seen: the default ones are used")
      draft.sets.append(
        ProfileDraft.AdvertisingSet(
          entries: [Entry("id", "main"), Entry("data", "{ flags: [general], name: complete }")],
          comment: "No advertisement was seen; this is an assumption."))
    }
  }

  // MARK: Connection

  private mutating func addConnection() {
    var parts: [String] = []
    if let mtu = device.mtu, (23...517).contains(mtu) { parts.append("mtu: \(mtu)") }
    var comment: String?
    let preferred = observed.lastValue(of: BluetoothUUID(0x2A04)).flatMap { Self.parameters($0) }
    if let request = device.parameters ?? preferred {
      if let text = Self.request(request) {
        parts.append("request: \(text)")
        if device.parameters == nil { comment = "the parameters that it prefers; it did not request them" }
        if preferred == nil {
          gaps.append("the device requests connection parameters without the characteristic for preferred ones")
        }
      }
    }
    if !parts.isEmpty { draft.entries.append(Entry("connection", "{ \(parts.joined(separator: ", ")) }", comment)) }
  }

  private static func parameters(_ value: [UInt8]) -> ObservedParameters? {
    let words = DeviceObserver.words(value[...])
    guard words.count == 4 else { return nil }
    return ObservedParameters(shortest: words[0], longest: words[1], latency: words[2], timeout: words[3], after: nil)
  }

  private static func request(_ parameters: ObservedParameters) -> String? {
    guard (6...3200).contains(parameters.shortest), (parameters.shortest...3200).contains(parameters.longest),
      parameters.latency < 500, (10...3200).contains(parameters.timeout)
    else { return nil }
    func interval(_ number: UInt16) -> String { "\(ValueText.number(Double(number) * 1.25)) ms" }
    let (shortest, longest) = (interval(parameters.shortest), interval(parameters.longest))
    var parts = ["interval: \(shortest == longest ? shortest : "[\(shortest), \(longest)]")"]
    if parameters.latency > 0 { parts.append("latency: \(parameters.latency)") }
    parts.append("timeout: \(ValueText.number(Double(parameters.timeout) * 10)) ms")
    if let after = parameters.after, after >= .milliseconds(10) {
      parts.append("after: \(ValueText.duration(after.seconds))")
    }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  // MARK: Security

  private static let capabilities: [UInt8: String] = [
    0: "display", 1: "compare", 2: "keyboard", 3: "just-works", 4: "keyboard-display",
  ]

  private mutating func addSecurity() {
    var parts: [String] = []
    var comment: String?
    if let features = device.pairing {
      parts.append("pairing: \(Self.capabilities[features.ioCapability] ?? "just-works")")
      if !features.requirements.contains(.bonding) { parts.append("bonding: false") }
      if !features.requirements.contains(.secureConnections) { parts.append("secure-connections: none") }
      if (7...15).contains(features.maximumKeySize) {
        parts.append("key-size: { maximum: \(features.maximumKeySize) }")
      }
    } else if demandsSecurity {
      parts.append(demandsAuthentication ? "pairing: display" : "pairing: just-works")
      comment = "assumed: it refused accesses on an unencrypted link, and did not pair"
    }
    if device.securityRequest != nil, !parts.isEmpty { parts.append("request: on-connection") }
    if !parts.isEmpty {
      // Before the services, where a reader looks for it.
      draft.entries.append(Entry("security", "{ \(parts.joined(separator: ", ")) }", comment))
    }
    addCaching(canBond: !parts.isEmpty && !parts.contains("bonding: false"))
  }

  private var demandsSecurity: Bool { observed.refusals.values.contains { $0.contains { Self.need(of: $0) != nil } } }
  private var demandsAuthentication: Bool {
    observed.refusals.values.contains { $0.contains { Self.need(of: $0) == "authenticated" } }
  }

  /// The keys of Generic Attribute.
  private mutating func addCaching(canBond: Bool) {
    guard observed.services.values.contains(where: { $0.uuid == BluetoothUUID(0x1801) }) else { return }
    func has(_ number: UInt16) -> Bool { observed.valueHandle(of: BluetoothUUID(number)) != nil }
    var parts: [String] = []
    if has(0x2A05) != canBond { parts.append("service-changed: \(has(0x2A05) ? "present" : "absent")") }
    if has(0x2B2A) { parts.append("robust-caching: true") }
    if let features = observed.lastValue(of: BluetoothUUID(0x2B3A))?.first, features & 1 == 1 {
      parts.append("eatt: 5")
    }
    if hasMixedOrder { parts.append("order: as-declared") }
    if !parts.isEmpty { draft.entries.append(Entry("gatt", "{ \(parts.joined(separator: ", ")) }")) }
  }

  /// Whether a service with a 128-bit UUID is before one with a 16-bit UUID.
  private var hasMixedOrder: Bool {
    let sizes = observed.services.sorted { $0.key < $1.key }.map { $0.value.uuid.short != nil }
    return sizes.firstIndex(of: false).map { sizes[$0...].contains(true) } ?? false
  }

  // MARK: Services

  private mutating func addServices() {
    if observed.services.isEmpty, !observed.declarations.isEmpty {
      gaps.append("the discovery of services is missing, so its characteristics cannot be placed")
    }
    var names: [UInt16: String] = [:]
    let own = observed.services.filter { !$0.value.isHosts }.sorted { $0.key < $1.key }
    for (start, service) in own { names[start] = unique(DraftNames.name(service.uuid, .service)) }
    // Rules refer to characteristics that follow, so all have their ids first.
    for (start, service) in own {
      let inside = observed.declarations.filter { $0.key > start && $0.key <= service.end }.sorted { $0.key < $1.key }
      let shipped = shippedService(service, inside.map(\.value))
      shippedServices[start] = shipped
      for (_, declaration) in inside {
        let member = shipped?.members.first { $0.uuid == declaration.uuid }
        characteristicIDs[declaration.value] = unique(member?.id ?? newID(of: declaration))
      }
    }
    for (start, service) in own {
      var result = ProfileDraft.Service(
        uuid: service.uuid, isPrimary: service.isPrimary, handle: start, id: names[start] ?? "service")
      let includes = observed.includes.filter { $0.key > start && $0.key <= service.end }.sorted { $0.key < $1.key }
      result.includes = includes.compactMap { names[$0.value.start] }
      let declarations = observed.declarations.filter { $0.key > start && $0.key <= service.end }.sorted {
        $0.key < $1.key
      }
      for (place, (_, declaration)) in declarations.enumerated() {
        let end = place + 1 < declarations.count ? declarations[place + 1].key - 1 : service.end
        result.characteristics.append(characteristic(declaration, end: end))
      }
      let hasDescriptors = result.characteristics.contains { !$0.descriptors.isEmpty }
      result.shipped = hasDescriptors || !result.includes.isEmpty ? nil : shippedServices[start]
      result.needsID = own.contains { $0.key < start && $0.value.uuid == service.uuid }
      draft.services.append(result)
    }
    let included = Set(draft.services.flatMap(\.includes))
    for place in draft.services.indices where included.contains(draft.services[place].id) {
      draft.services[place].needsID = true
    }
    noteHostServices()
  }

  /// Notes what Generic Access and Generic Attribute have beyond what the host adds itself.
  private mutating func noteHostServices() {
    let known: Set<UInt16> = [0x2A00, 0x2A01, 0x2A04, 0x2AA6, 0x2AC9, 0x2A05, 0x2B29, 0x2B2A, 0x2B3A]
    for (start, service) in observed.services where service.isHosts {
      for (handle, declaration) in observed.declarations where handle > start && handle <= service.end {
        guard !known.contains(declaration.uuid.short ?? 0) else { continue }
        gaps.append("\(DraftNames.name(declaration.uuid, .characteristic)) of Generic Access cannot be written")
      }
    }
  }

  private mutating func unique(_ name: String) -> String {
    var id = DraftNames.id(from: name) ?? "service"
    let base = id
    var number = 1
    while !ids.insert(id).inserted {
      number += 1
      id = "\(base)-\(number)"
    }
    return id
  }

  private mutating func characteristic(
    _ declaration: ObservedServer.Declaration, end: UInt16
  ) -> ProfileDraft.Characteristic {
    let handle = declaration.value
    let samples = observed.samples[handle] ?? []
    var result = ProfileDraft.Characteristic(
      uuid: declaration.uuid, properties: declaration.properties, handle: handle)
    let descriptors = observed.types.filter { $0.key > handle && $0.key <= end }.sorted { $0.key < $1.key }
    let description = descriptors.first { $0.value == BluetoothUUID(0x2901) }.flatMap { text(at: $0.key) }
    let assigned = DraftNames.name(declaration.uuid, .characteristic)
    if let id = characteristicIDs[handle], id != declaration.uuid.assignedName?.name {
      result.entries.append(Entry("id", id))
    }
    result.entries += permissions(handle, declaration)
    if let learnt = ValueLearner(samples, uuid: declaration.uuid, handle: handle, recording: recording).learn() {
      if let format = learnt.format { result.entries.append(Entry("format", format)) }
      if let value = learnt.value { result.entries.append(Entry("value", value, learnt.reason)) }
      if let rhythm = learnt.rhythm {
        let key = declaration.properties.contains(.notify) ? "notify" : "indicate"
        if !declaration.properties.isDisjoint(with: [.notify, .indicate]) { result.entries.append(Entry(key, rhythm)) }
      }
    } else if declaration.properties.contains(.read) {
      result.comment = "Its value is not known."
      gaps.append("\(assigned) at \(DraftNames.hexadecimal(handle)) was never read")
    }
    result.entries += writes(to: handle, declaration)
    addDescriptors(descriptors, to: &result, description: description)
    return result
  }

  /// Returns the id of a characteristic: the name of its type, or what its description says.
  private func newID(of declaration: ObservedServer.Declaration) -> String {
    if let name = declaration.uuid.assignedName, name.kind == .characteristic { return name.name }
    let described = description(of: declaration.value).flatMap { DraftNames.id(from: $0) }
    return described ?? "value-\(Self.short(declaration.uuid))"
  }

  /// Returns the shipped service that has these characteristics in this order; nil if there is none. A second service of one type is
  /// written out, because its characteristics need other ids.
  private func shippedService(
    _ service: ObservedServer.Service, _ declarations: [ObservedServer.Declaration]
  ) -> ShippedService? {
    guard service.isPrimary, observed.services.values.count(where: { $0.uuid == service.uuid }) == 1,
      let shipped = ShippedService.all.first(where: { $0.uuid == service.uuid })
    else { return nil }
    var rest = shipped.members[...]
    for declaration in declarations {
      guard
        let place = rest.firstIndex(where: { $0.uuid == declaration.uuid && $0.properties == declaration.properties }),
        // An optional characteristic needs a value to exist.
        !rest[place].isOptional || !(observed.samples[declaration.value] ?? []).isEmpty
      else { return nil }
      rest = rest[(place + 1)...]
    }
    return shipped
  }

  /// Returns the id of the characteristic with that value handle; nil if it is none of the profile's.
  func id(of handle: UInt16) -> String? { characteristicIDs[handle] }

  /// Returns the User Description that follows a value.
  private func description(of handle: UInt16) -> String? {
    let next = observed.declarations.keys.filter { $0 > handle }.min() ?? .max
    return observed.types.first { $0.key > handle && $0.key < next && $0.value == BluetoothUUID(0x2901) }
      .flatMap { text(at: $0.key) }
  }

  private static func short(_ uuid: BluetoothUUID) -> String {
    String(uuid.description.lowercased().prefix { $0 != "-" }.suffix(8))
  }

  private func text(at handle: UInt16) -> String? {
    guard let value = observed.samples[handle]?.last?.value, !value.isEmpty, value.count <= 512 else { return nil }
    return String(validating: value, as: UTF8.self)
  }

  private mutating func addDescriptors(
    _ found: [(key: UInt16, value: BluetoothUUID)], to result: inout ProfileDraft.Characteristic, description: String?
  ) {
    for (handle, uuid) in found {
      let value = observed.samples[handle]?.last?.value ?? []
      switch uuid.short {
      case 0x2902, 0x2903, 0x2800, 0x2801, 0x2802, 0x2803: continue
      case 0x2901 where description != nil:
        result.entries.append(Entry("description", ValueText.quoted(description ?? "")))
      // With a prepared write for several values, or a description that clients may write, the descriptor follows from the properties.
      case 0x2900 where value.first.map { $0 & 0b11 != 0 } ?? false: continue
      default: result.descriptors.append(ProfileDraft.Descriptor(uuid: uuid, handle: handle, value: value))
      }
    }
  }
}

extension DeviceDrafting {
  /// The UUID that Apple defines for characteristics with the PSM of a channel.
  private static let psmCharacteristic = BluetoothUUID("ABDD3056-28FA-441D-A470-55A75A52553A")

  /// Adds the channels that centrals opened, or whose PSMs characteristics publish.
  private mutating func addChannels() {
    var psms: [UInt16: String] = [:]
    for (psm, channel) in device.channels where channel.result == 0 {
      psms[psm] = "a central opened it: SDUs of up to \(channel.mtu) octets"
    }
    for declaration in observed.declarations.values where declaration.uuid == Self.psmCharacteristic {
      guard let value = observed.samples[declaration.value]?.last?.value, value.count >= 2 else { continue }
      let psm = UInt16(value[0]) | UInt16(value[1]) << 8
      psms[psm] = psms[psm] ?? "its PSM is in a characteristic; nobody opened it"
    }
    for (number, (psm, comment)) in psms.sorted(by: { $0.key < $1.key }).enumerated() where (1...255).contains(psm) {
      let mtu = device.channels[psm].map { max(23, $0.mtu) }.map { "mtu: \($0), " } ?? ""
      draft.channels.append(
        Entry(
          "", "{ id: channel-\(number + 1), psm: \(DraftNames.hexadecimal(psm)), \(mtu)handler: sink }",
          "\(comment); what it does with data is not known"))
    }
  }
}

extension ObservedServer.Service {
  /// Whether it is Generic Access or Generic Attribute, which the host adds.
  var isHosts: Bool { uuid == BluetoothUUID(0x1800) || uuid == BluetoothUUID(0x1801) }
}
