import AccessoryProfile
import BLECore
import BLEGATT

/// A written, valid profile.
package struct WrittenProfile: Sendable {
  /// The text of the profile.
  package var text: String
  /// The profile as loaded from that text.
  package var profile: Profile
  /// What could not be carried over. The text says the same in comments.
  package var remarks: [WritingRemark]
}

/// Something that could not be carried over.
package struct WritingRemark: Hashable, Sendable {
  /// Where the source describes it; nil if that is unknown.
  package var place: SourcePlace?
  /// What it is, and why.
  package var message: String
}

/// Writes an imported database as a profile, in the style of the shipped ones.
///
/// The writer loads the text before it returns it. Parts that the language refuses become comments, and remarks for the user.
package struct ProfileWriter {
  let database: ImportedDatabase
  /// The ids of the services.
  var serviceIDs = Naming()
  /// The ids of the characteristics.
  var characteristicIDs = Naming()
  /// The final ids of the services, by their positions.
  var idsOfServices: [Int: String] = [:]
  /// The reserved ids of characteristics that are not written yet, by their ids in the source.
  var reservedIDs: [String: String] = [:]
  /// The final ids of written characteristics, by their ids in the source.
  var keptIDs: [String: String] = [:]
  var remarks: [WritingRemark] = []

  private init(_ database: ImportedDatabase) { self.database = database.absorbingHostServices() }

  /// Returns the profile of a database. Messages name it `file`.
  ///
  /// - Throws: The errors of the profile, if leaving out parts cannot make it valid.
  package static func write(
    _ database: ImportedDatabase, file: String = "profile.yaml"
  ) throws(ProfileError) -> WrittenProfile {
    var writer = ProfileWriter(database)
    var draft = ProfileDraft(entries: writer.entries(), file: file)
    var profile = try draft.settle()
    if draft.restoreAdvertisingData(of: writer.database, in: profile) { profile = try draft.settle() }
    return WrittenProfile(text: draft.text, profile: profile, remarks: writer.remarks + draft.remarks)
  }

  // MARK: The file

  private mutating func entries() -> [YAMLEntry] {
    let name = database.name.flatMap { $0.isEmpty ? nil : $0 } ?? "Imported Accessory"
    var shortened = Substring(name)
    while shortened.utf8.count > 248 { shortened.removeLast() }
    if shortened.utf8.count < name.utf8.count { remark(nil, "the name is longer than 248 octets, so it is cut") }
    var entries = [
      YAMLEntry("understudy", "1", comments: database.comments, isRequired: true),
      YAMLEntry("name", YAMLScalar.text(String(shortened)), isRequired: true),
    ]
    if !database.about.isEmpty { entries.append(YAMLEntry("about", YAMLScalar.text(database.about))) }
    add("identity", identity, to: &entries)
    if let security = database.security {
      let pairing = YAMLEntry("pairing", security.pairing, isRequired: true)
      entries.append(
        YAMLEntry(
          "security", .shortMapping([pairing] + security.keys.map { YAMLEntry($0) }), comments: security.comments))
    }
    if let sets = database.advertising { entries.append(YAMLEntry("advertising", .list(sets.map { item(of: $0) }))) }
    add("connection", connection, to: &entries, comments: database.connection.comments)
    let services = serviceItems()
    add("gatt", gatt, to: &entries)
    if !services.isEmpty { entries.append(YAMLEntry("services", .list(services))) }
    if !database.channels.isEmpty { entries.append(YAMLEntry("l2cap", .list(database.channels.map { item(of: $0) }))) }
    return entries + database.keys.map { YAMLEntry($0) }
  }

  private func add(
    _ key: String, _ inner: [YAMLEntry], to entries: inout [YAMLEntry], comments: [String] = []
  ) {
    guard !inner.isEmpty else { return }
    entries.append(YAMLEntry(key, .shortMapping(inner), comments: comments))
  }

  mutating func remark(_ place: SourcePlace?, _ message: String) {
    remarks.append(WritingRemark(place: place, message: message))
  }

  // MARK: Settings

  private var identity: [YAMLEntry] {
    var entries: [YAMLEntry] = []
    if let address = database.address, address.isValidRandomStatic {
      entries.append(YAMLEntry("address", address.description))
    } else if database.hasPublicAddress {
      entries.append(YAMLEntry("address", "public"))
    }
    if let appearance = database.appearance, appearance != .unknown {
      entries.append(YAMLEntry("appearance", Self.text(of: appearance)))
    }
    return entries + database.identityKeys.map { YAMLEntry($0) }
  }

  private var connection: [YAMLEntry] {
    let known = database.connection
    var entries: [YAMLEntry] = []
    if let mtu = known.mtu { entries.append(YAMLEntry("mtu", "\(mtu)")) }
    if let count = known.maximumConnections { entries.append(YAMLEntry("max-connections", "\(count)")) }
    if let request = known.request {
      let bounds = [request.intervals.lowerBound, request.intervals.upperBound].map { YAMLScalar.duration($0) }
      var inner = [
        YAMLEntry("interval", bounds[0] == bounds[1] ? bounds[0] : "[\(bounds[0]), \(bounds[1])]")
      ]
      if request.latency > 0 { inner.append(YAMLEntry("latency", "\(request.latency)")) }
      if let timeout = request.timeout { inner.append(YAMLEntry("timeout", YAMLScalar.duration(timeout))) }
      if let delay = request.delay { inner.append(YAMLEntry("after", YAMLScalar.duration(delay))) }
      entries.append(YAMLEntry("request", .shortMapping(inner)))
    }
    return entries + known.keys.map { YAMLEntry($0) }
  }

  private var gatt: [YAMLEntry] {
    var entries: [YAMLEntry] = []
    // The default, auto, depends on whether the accessory can bond.
    let canBond =
      database.security != nil && !(database.security?.keys.contains(ImportedKey("bonding", "false")) ?? false)
    if let hasServiceChanged = database.gatt.hasServiceChanged, hasServiceChanged != canBond {
      entries.append(YAMLEntry("service-changed", hasServiceChanged ? "present" : "absent"))
    }
    if database.gatt.hasRobustCaching { entries.append(YAMLEntry("robust-caching", "true")) }
    if database.gatt.keepsOrder, !database.isGroupedByUUIDSize { entries.append(YAMLEntry("order", "as-declared")) }
    return entries + database.gatt.keys.map { YAMLEntry($0) }
  }

  private func item(of channel: ImportedChannel) -> YAMLItem {
    var entries = [YAMLEntry("id", channel.id, isRequired: true)]
    if let psm = channel.psm { entries.append(YAMLEntry("psm", "0x\(String(psm, radix: 16, uppercase: true))")) }
    if let mtu = channel.mtu { entries.append(YAMLEntry("mtu", "\(mtu)")) }
    if let mps = channel.mps { entries.append(YAMLEntry("mps", "\(mps)")) }
    if let credits = channel.credits { entries.append(YAMLEntry("credits", "\(credits)")) }
    entries += channel.keys.map { YAMLEntry($0) }
    entries.append(YAMLEntry("handler", channel.handler, isRequired: true))
    return YAMLItem(entries: entries, comments: channel.comments, isShort: true, title: "channel \(channel.id)")
  }

  /// Returns an appearance by name, or as a number.
  static func text(of appearance: Appearance) -> String {
    guard let name = appearance.name, Appearance(named: name) == appearance else {
      return appearance.rawValue.hexadecimalText
    }
    return name
  }
}
