import AccessoryProfile
import BLECore
import BLEGATT
import Importing
import PeripheralHost
import UnderstudyCore

/// A profile learnt from a device.
package struct LearntProfile: Sendable {
  /// The text, which loads without errors.
  package var text: String
  /// What is not known, or has no place in a profile, one line each.
  package var gaps: [String]
  /// The profile.
  package var profile: Profile
}

/// Why no profile could be learnt.
package struct LearningFailure: Error, CustomStringConvertible {
  /// What is missing, and what to do about it.
  package var description: String
}

extension ObservedDevice {
  /// Writes the device's profile.
  ///
  /// - Parameters:
  ///   - recording: The capture to replay values from, relative to the profile; nil for none.
  ///   - head: The lines of the comment at the top.
  ///   - path: The file of the profile, for its relative paths and its diagnostics.
  package func learnProfile(
    recording: String? = nil, head: [String] = [], path: String = "learnt.yaml"
  ) throws(LearningFailure) -> LearntProfile {
    guard !sets.isEmpty || !server.isUnknown else {
      let reason =
        unreadable > 0
        ? "\(unreadable) of its packets are encrypted: give the key of the link with --ltk or --bonds"
        : "the packets contain neither its advertising nor a discovery of its services: record a connection without a bond"
      throw LearningFailure(description: "nothing is known of \(name ?? "the device"): \(reason)")
    }
    var drafting = DeviceDrafting(self, recording: recording)
    var database = drafting.make()
    var written = try Self.write(database, path)
    if !server.isUnknown, attributes(of: written.profile) != observedAttributes {
      drafting.fixesHandles = true
      database = drafting.make()
      written = try Self.write(database, path)
    }
    let gaps = drafting.gaps + written.remarks.map(\.message) + differences(from: written.profile)
    database.comments = head + (gaps.isEmpty ? [] : ["Not known, or not written:"] + gaps.map { "- \($0)" })
    written = try Self.write(database, path)
    return LearntProfile(text: written.text, gaps: gaps, profile: written.profile)
  }

  private static func write(_ database: ImportedDatabase, _ path: String) throws(LearningFailure) -> WrittenProfile {
    do throws(ProfileError) { return try ProfileWriter.write(database, file: path) } catch {
      throw LearningFailure(description: "the written profile is not valid, which you should report:\n\(error)")
    }
  }

  // MARK: Comparing

  /// An attribute of a database, as clients see it.
  private struct Seen: Hashable {
    var handle: UInt16
    var type: BluetoothUUID

    var text: String { "\(type.profileName) at \(handle.hexadecimalText)" }
  }

  /// The observed services, values and descriptors, by ascending handle.
  private var observedAttributes: [Seen] {
    let own = server.services.filter { !$0.value.isAddedByHost }
    func isOwn(_ handle: UInt16) -> Bool { own.contains { $0.key <= handle && handle <= $0.value.end } }
    var seen = own.map { Seen(handle: $0.key, type: $0.value.uuid) }
    seen += server.declarations.values.filter { isOwn($0.value) }.map { Seen(handle: $0.value, type: $0.uuid) }
    let values = Set(server.declarations.values.map(\.value))
    for (handle, type) in server.types where isOwn(handle) && !values.contains(handle) && !type.isDeclaration {
      seen.append(Seen(handle: handle, type: type))
    }
    return seen.sorted { $0.handle < $1.handle }
  }

  private func attributes(of profile: Profile) -> [Seen] {
    guard let database = try? profile.hostConfiguration(seed: 0).makeDatabase() else { return [] }
    var seen: [Seen] = []
    for service in database.services where ![0x1800, 0x1801].contains(service.uuid.short ?? 0) {
      seen.append(Seen(handle: service.handles.lowerBound, type: service.uuid))
      for attribute in database.attributes
      where service.handles.contains(attribute.handle) && !attribute.type.isDeclaration {
        seen.append(Seen(handle: attribute.handle, type: attribute.type))
      }
    }
    return seen.sorted { $0.handle < $1.handle }
  }

  /// Returns the attributes that only one of the device and the profile has.
  private func differences(from profile: Profile) -> [String] {
    guard !server.isUnknown else { return [] }
    let (mine, its) = (observedAttributes, attributes(of: profile))
    let missing = mine.filter { !its.contains($0) }.map { "the profile lacks \($0.text)" }
    let added = its.filter { !mine.contains($0) }.map { "the profile has \($0.text), which was not seen" }
    return Array((missing + added).prefix(20))
  }
}

extension BluetoothUUID {
  /// Whether it is the type of a declaration of a service, an include or a characteristic.
  var isDeclaration: Bool { (0x2800...0x2803).contains(short ?? 0) }
}
