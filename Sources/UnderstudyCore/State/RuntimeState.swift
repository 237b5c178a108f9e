import AccessoryProfile
import BLECore

/// The changes of an accessory at run time that are restored at its next start.
package struct RuntimeState: Hashable, Sendable {
  /// Advertising sets that were started or stopped, and whether they are on.
  package var advertising: [String: Bool] = [:]
  /// The PSMs that the host has chosen for channels of the profile, by their ids.
  package var psms: [String: UInt16] = [:]
  /// The values of characteristics that the profile declares persistent, by their ids.
  package var values: [String: [UInt8]] = [:]
  /// The channels that were published at run time, with the keys of a profile's channel, in order.
  package var published: [ProfileValue] = []
  /// The ids of the profile's channels that are no longer published.
  package var unpublished: [String] = []
  /// The changes of services, in order.
  package var services: [ServiceChange] = []

  /// Creates a state without changes, except for PSMs that the host has chosen.
  package init(psms: [String: UInt16] = [:]) { self.psms = psms }

  /// A change of a service. The service is stored in its original text, because the order of its keys matters.
  package enum ServiceChange: Hashable, Sendable {
    case add(id: String, json: String)
    case replace(id: String, json: String)
    case remove(id: String)

    package var id: String {
      switch self {
      case .add(let id, _), .replace(let id, _), .remove(let id): id
      }
    }
  }

  /// Adds a change of a service, without what it supersedes: a service that was added at run time and then
  /// removed leaves no trace, and of several replacements only the last counts.
  package mutating func note(_ change: ServiceChange) {
    switch change {
    case .add: services.append(change)
    case .replace(let id, let json):
      guard let place = services.lastIndex(where: { $0.id == id }) else { return services.append(change) }
      if case .add = services[place] { services[place] = .add(id: id, json: json) } else { services[place] = change }
    case .remove(let id):
      let first = services.first { $0.id == id }
      services.removeAll { $0.id == id }
      if case .add = first { return }
      services.append(change)
    }
  }
}

extension RuntimeState {
  /// Adds or updates a published channel.
  package mutating func note(published channel: ProfileValue) {
    guard let id = channel.channelID else { return }
    if let place = published.firstIndex(where: { $0.channelID == id }) {
      published[place] = channel
    } else {
      published.append(channel)
    }
  }

  /// Notes that a channel is no longer published.
  package mutating func note(unpublished id: String) {
    if let place = published.firstIndex(where: { $0.channelID == id }) {
      published.remove(at: place)
    } else if !unpublished.contains(id) {
      unpublished.append(id)
    }
  }
}

extension ProfileValue {
  /// The id of a channel, which has the keys of a profile's channel.
  fileprivate var channelID: String? {
    guard case .object(let fields) = self, case .string(let id) = fields["id"] else { return nil }
    return id
  }
}
