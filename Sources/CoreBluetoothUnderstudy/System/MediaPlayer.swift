import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink

/// A phone's player, and the accessories that follow it.
struct MediaPlayer {
  /// The state at `since`.
  fileprivate var state = NowPlaying()
  fileprivate var since = Instant.zero
  /// The attributes whose changes each accessory wants to know, by entity.
  var wanted: [ConnectionHandle: [UInt8: [UInt8]]] = [:]

  /// Returns the present state. While a track plays, its position advances.
  func state(at now: Instant) -> NowPlaying {
    var state = state
    guard state.isPlaying, let track = state.track else { return state }
    state.elapsed = min(state.elapsed + (now - since), track.duration)
    return state
  }
}

extension PhoneControls {
  /// What the phone plays. Accessories that use the Apple Media Service learn of changes, and control the player with remote commands,
  /// which are events of the phone (`media-command`). A track that has ended stays.
  public var nowPlaying: NowPlaying {
    get { access.read { $0.media.state(at: $0.now) } }
    set { access.perform { $0.play(newValue) } }
  }
}

/// The phone as a server of the Apple Media Service (Apple Media Service Reference).
extension PhoneSystem {
  /// Changes the player's state, and tells the accessories that want to know.
  func play(_ state: NowPlaying) {
    let before = media.state(at: now).texts
    (media.state, media.since) = (state, now)
    let after = state.texts
    for (link, entities) in media.wanted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for (entity, attributes) in entities.sorted(by: { $0.key < $1.key }) {
        let changed = attributes.filter { text(entity, $0, in: before) != text(entity, $0, in: after) }
        send(changed, of: entity, to: link)
      }
    }
  }

  /// Handles an accessory's requests to the Apple Media Service.
  func handleMedia(_ event: ServerEvent, on link: ConnectionHandle) {
    switch event {
    case .written(let index, let value): written(value, to: stack.server.database[index].definition.id, on: link)
    case .subscriptionChanged(let index, let configuration):
      guard stack.server.database[index].definition.id == "ams-remote-command", configuration.contains(.notification)
      else { return }
      notify(link, "ams-remote-command", RemoteCommand.allCases.map(\.rawValue))
    default: break
    }
  }

  private func written(_ value: [UInt8], to characteristic: String, on link: ConnectionHandle) {
    switch characteristic {
    case "ams-remote-command":
      if let command = value.first.flatMap({ RemoteCommand(rawValue: $0) }) { perform(command, of: link) }
    case "ams-entity-update":
      guard let entity = value.first else { return }
      // Each attribute counts once, even if the accessory repeats it.
      let attributes = Self.mediaAttributes.filter(value.dropFirst().contains)
      media.wanted[link, default: [:]][entity] = attributes
      send(attributes, of: entity, to: link)
    case "ams-entity-attribute":
      guard value.count == 2 else { return }
      let text = text(value[0], value[1], in: media.state(at: now).texts) ?? ""
      change { runtime, now in runtime.setVariable("media-value", to: text, for: link.client, at: now) }
    default: break
    }
  }

  /// The numbers of attributes in all entities.
  private static let mediaAttributes: [UInt8] = [0, 1, 2, 3]

  private func perform(_ command: RemoteCommand, of handle: ConnectionHandle) {
    journal(
      .object([
        "event": .string("media-command"), "peripheral": .string(link(handle)?.device.name ?? ""),
        "command": .string("\(command)"),
      ]))
    var state = media.state(at: now)
    state.perform(command)
    play(state)
  }

  private func text(_ entity: UInt8, _ attribute: UInt8, in texts: [[String]]) -> String? {
    guard Int(entity) < texts.count, Int(attribute) < texts[Int(entity)].count else { return nil }
    return texts[Int(entity)][Int(attribute)]
  }

  /// Sends an update of each attribute: entity, attribute, whether the value is truncated, and as much of the value as one notification
  /// holds.
  private func send(_ attributes: [UInt8], of entity: UInt8, to handle: ConnectionHandle) {
    guard let link = link(handle), !attributes.isEmpty else { return }
    let texts = media.state(at: now).texts
    let room = mtu(of: link) - 6
    for attribute in attributes {
      guard let text = text(entity, attribute, in: texts) else { continue }
      let octets = Array(text.utf8)
      notify(handle, "ams-entity-update", [entity, attribute, octets.count > room ? 1 : 0] + octets.prefix(room))
    }
  }

  private func notify(_ link: ConnectionHandle, _ id: String, _ value: [UInt8]) {
    guard let characteristic = stack.server.database.characteristic(named: id)?.index else { return }
    change { runtime, _ in runtime.notify(link.client, of: characteristic, value: value) }
  }
}
