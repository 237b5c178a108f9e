import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import PeripheralHost
import UnderstudyCore

/// A profile that was learnt.
package struct LearntProfile: Sendable {
  /// The text, which loads without errors.
  package var text: String
  /// What is not known, or could not be written, a line each.
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
  /// Writes the device's profile. `recording` is the capture that values are replayed from, relative to the profile; nil for none. The text
  /// loads as if it were the file `path`.
  package func learnProfile(
    recording: String? = nil, head: [String] = [], path: String = "learnt.yaml"
  ) throws(LearningFailure) -> LearntProfile {
    guard !sets.isEmpty || !server.isUnknown else {
      let reason =
        unreadable > 0
        ? "\(unreadable) of its packets are encrypted: give the key of the link with --key"
        : "neither advertising nor a discovery of its services is in the packets"
      throw LearningFailure(description: "nothing is known of \(name ?? "the device"): \(reason)")
    }
    var drafting = DeviceDrafting(self, recording: recording)
    var (draft, gaps) = drafting.make()
    if unreadable > 0 { gaps.append("\(unreadable) packets are encrypted, and were not read") }
    if clientRequests > 0 {
      gaps.append("it used services of the central (\(clientRequests) requests), which this profile does not")
    }
    var profile = try Self.load(&draft, path)
    if !server.isUnknown {
      if attributes(of: profile) != observedAttributes {
        // What is included may have other descriptors.
        for place in draft.services.indices { draft.services[place].shipped = nil }
        profile = try Self.load(&draft, path)
      }
      if attributes(of: profile) != observedAttributes {
        draft.fixesHandles = true
        profile = try Self.load(&draft, path)
      }
      gaps += differences(from: profile)
    }
    fixAdvertising(&draft, profile)
    draft.head = head + (gaps.isEmpty ? [] : ["", "Not known, or not written:"] + gaps.map { "- \($0)" })
    profile = try Self.load(&draft, path)
    return LearntProfile(text: draft.written.text, gaps: gaps, profile: profile)
  }

  /// Loads a draft. Values that are refused are written as octets.
  private static func load(_ draft: inout ProfileDraft, _ path: String) throws(LearningFailure) -> Profile {
    for _ in 0..<8 {
      let (text, places) = draft.written
      do throws(ProfileError) { return try Profile.load(text: text, file: path) } catch {
        var hasChanged = false
        for diagnostic in error.diagnostics where diagnostic.severity == .error {
          guard let place = places.first(where: { $0.lines.contains(diagnostic.line - 1) }) else { continue }
          let before = draft.services[place.service].characteristics[place.characteristic]
          draft.services[place.service].characteristics[place.characteristic].simplify(because: diagnostic.message)
          hasChanged =
            hasChanged
            || before.entries != draft.services[place.service].characteristics[place.characteristic].entries
        }
        guard hasChanged else {
          throw LearningFailure(description: "the profile is not valid, which is a defect of this program:\n\(error)")
        }
      }
    }
    throw LearningFailure(description: "the profile does not become valid, which is a defect of this program")
  }

  // MARK: Comparing

  /// An attribute of a database, as clients see it.
  private struct Seen: Hashable {
    var handle: UInt16
    var type: BluetoothUUID
  }

  private var observedAttributes: [Seen] {
    let own = server.services.filter { !$0.value.isHosts }
    func isOwn(_ handle: UInt16) -> Bool { own.contains { $0.key <= handle && handle <= $0.value.end } }
    var seen = own.map { Seen(handle: $0.key, type: $0.value.uuid) }
    seen += server.declarations.values.filter { isOwn($0.value) }.map { Seen(handle: $0.value, type: $0.uuid) }
    let values = Set(server.declarations.values.map(\.value))
    seen += server.types.filter { entry in
      isOwn(entry.key) && !values.contains(entry.key)
        && ![0x2800, 0x2801, 0x2802, 0x2803].contains(entry.value.short ?? 0)
    }.map { Seen(handle: $0.key, type: $0.value) }
    return seen.sorted { $0.handle < $1.handle }
  }

  private func attributes(of profile: Profile) -> [Seen] {
    guard let database = try? profile.hostConfiguration(seed: 0).makeDatabase() else { return [] }
    var seen: [Seen] = []
    for service in database.services where ![0x1800, 0x1801].contains(service.uuid.short ?? 0) {
      seen.append(Seen(handle: service.handles.lowerBound, type: service.uuid))
      for attribute in database.attributes where service.handles.contains(attribute.handle) {
        switch attribute.type.short {
        case 0x2800, 0x2801, 0x2802, 0x2803: continue
        default: seen.append(Seen(handle: attribute.handle, type: attribute.type))
        }
      }
    }
    return seen.sorted { $0.handle < $1.handle }
  }

  /// Returns what the profile's database has differently.
  private func differences(from profile: Profile) -> [String] {
    let (mine, its) = (Set(observedAttributes), Set(attributes(of: profile)))
    func text(_ seen: Seen) -> String {
      "\(seen.type.assignedName?.name ?? seen.type.description) at \(DraftNames.hexadecimal(seen.handle))"
    }
    let missing = mine.subtracting(its).sorted { $0.handle < $1.handle }.map { "the profile lacks \(text($0))" }
    let added = its.subtracting(mine).sorted { $0.handle < $1.handle }.map {
      "the profile has \(text($0)), which was not seen"
    }
    return Array((missing + added).prefix(20))
  }

  /// Writes the data of a set as octets where the keys give others.
  private func fixAdvertising(_ draft: inout ProfileDraft, _ profile: Profile) {
    let seen = sets.filter { !$0.data.isEmpty }
    for (place, set) in seen.enumerated() where place < draft.sets.count && place < profile.advertising.count {
      let definition = profile.advertising[place]
      for (key, octets, wanted) in [
        ("data", definition.data, set.data.first),
        ("scan-response", definition.scanResponse, set.responses.first),
      ] {
        guard let wanted, !wanted.isEmpty, octets != wanted,
          let entry = draft.sets[place].entries.firstIndex(where: { $0.key == key })
        else { continue }
        draft.sets[place].entries[entry].text = "hex:\(wanted.hexadecimal)"
      }
    }
  }
}

extension ProfileDraft.Characteristic {
  /// Writes less of what was learnt, so that the profile loads.
  mutating func simplify(because reason: String) {
    // The value and its rhythm first, then everything else that is not needed.
    for keys in [["value", "format", "notify", "indicate"], ["on-write"], ["description", "permissions"]] {
      let places = entries.indices.filter { keys.contains(entries[$0].key) }
      guard !places.isEmpty else { continue }
      entries.removeAll { keys.contains($0.key) }
      comment = [comment, "Left out \(keys.joined(separator: ", ")): \(reason)"].compactMap(\.self).joined(
        separator: "\n")
      return
    }
    if !descriptors.isEmpty { descriptors = [] }
  }
}
