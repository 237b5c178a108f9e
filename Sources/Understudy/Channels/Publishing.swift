import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Transport

/// Publishing channels while the accessory runs.
extension Accessory {
  /// Publishes a channel, and returns its definition with its PSM. The PSM becomes the value of the
  /// characteristic that the definition names for it, or else the one that the profile names for a channel
  /// with this id. Subscribers are notified as the characteristic's definition says.
  public func publish(_ definition: ChannelDefinition) throws(ControlError) -> ChannelDefinition {
    guard !channels.contains(where: { $0.id == definition.id }) else { throw .publicationTaken(definition.id) }
    var definition = definition
    let psm = try freePSM(definition.psm)
    definition.psm = .fixed(psm.rawValue)
    if let named = definition.psmCharacteristic {
      try checkPSMCharacteristic(named, psm)
    } else {
      definition.psmCharacteristic = profile.channels.first { $0.id == definition.id }?.psmCharacteristic
    }
    guard let published = definition.published else { throw .noFreePSM }
    try perform(.channel(.publish(published)))
    stack.application.setHandler(definition.handler, of: psm)
    channels.append(definition)
    // The service with the profile's characteristic may have been removed.
    if let characteristic = definition.psmCharacteristic,
      stack.server.database.characteristic(named: characteristic) != nil
    {
      try setValue(.int(Int64(psm.rawValue)), of: characteristic)
    }
    keepRuntime(at: loop.now()) { $0.note(published: definition.keptJSON) }
    return definition
  }

  /// Throws if the characteristic does not exist, or if its value cannot hold a PSM.
  private func checkPSMCharacteristic(_ name: String, _ psm: SPSM) throws(ControlError) {
    let index = try characteristic(named: name)
    let octets = ChannelDefinition.psmOctets(psm.rawValue)
    guard stack.server.database[index].belongsToApplication,
      stack.application.decode(octets, of: index) == .int(Int64(psm.rawValue))
    else {
      throw .unsuitableValue("psm-characteristic: the format of \(name) is not u16")
    }
  }

  private func freePSM(_ choice: PSMChoice) throws(ControlError) -> SPSM {
    let taken = Set(stack.publishedChannels.map(\.psm.rawValue))
    let free = SPSM.dynamicRange.filter { !taken.contains($0) }
    let psm: UInt16? =
      switch choice {
      case .fixed(let psm): psm
      case .automatic: free.first
      case .drawn: free.randomElement(using: &random)
      }
    guard let psm else { throw .noFreePSM }
    return SPSM(rawValue: psm)
  }

  /// Stops publishing a channel, and closes the channels that centrals have opened to it.
  public func unpublish(_ id: String) throws(ControlError) {
    guard let place = channels.firstIndex(where: { $0.id == id }), let psm = channels[place].publishedPSM else {
      throw .unknownPublication(id)
    }
    // Requests that still wait for authorization are refused while the PSM is still published.
    try decide(psm, isGranted: false)
    try perform(.channel(.unpublish(psm)))
    channels.remove(at: place)
    keepRuntime(at: loop.now()) { $0.note(unpublished: id) }
    stack.application.setHandler(nil, of: psm)
  }

  /// Sets who decides whether centrals may open a published channel. Granting or denying also answers the requests that wait.
  public func setAuthorization(
    _ authorization: ChannelAuthorization, ofPublication id: String
  ) throws(ControlError) {
    guard let place = channels.firstIndex(where: { $0.id == id }), let psm = channels[place].publishedPSM else {
      throw .unknownPublication(id)
    }
    try perform(.channel(.setAuthorization(psm, authorization)))
    channels[place].authorization = authorization
    keepRuntime(at: loop.now()) { runtime in
      let isOfProfile = !runtime.unpublished.contains(id) && profile.channels.contains { $0.id == id }
      if !isOfProfile { runtime.note(published: channels[place].keptJSON) }
    }
    if authorization != .asked { try decide(psm, isGranted: authorization == .granted) }
  }

  /// Answers the open questions about channels to a PSM.
  private func decide(_ psm: SPSM, isGranted: Bool) throws(ControlError) {
    for question in stack.application.openQuestions {
      guard case .channels(let request) = question.kind, request.psm == psm else { continue }
      try answer(question.ticket, with: isGranted ? .accept : .refuse)
    }
  }

  // MARK: - Reports

  /// Returns everything that is published: the keys of a profile's channel, `psm-characteristic` with the id
  /// of the characteristic, and `open`, the number of channels that centrals have open to it.
  package func publicationReport() -> ProfileValue {
    let open = stack.linkStates.flatMap(\.channels).filter(\.isIncoming)
    return .array(
      channels.map { definition in
        guard case .object(var fields) = definition.describedJSON else { return .null }
        fields["open"] = .int(Int64(open.count { $0.psm == definition.publishedPSM }))
        return .object(fields)
      })
  }

  /// Returns every channel of every connection: the current fields of `channel-opened`, the `id` of its
  /// publication, for sinks what was received (`sink`), and the address of its line (`bridge`).
  package func channelReport() -> ProfileValue {
    .array(
      stack.linkStates.flatMap { link in
        link.channels.map { status in
          var fields = link.handle.fields(status.json)
          let definition = status.isIncoming ? channels.first { $0.publishedPSM == status.psm } : nil
          fields["id"] = definition.map { .string($0.id) } ?? .null
          if let sink = stack.application.received(on: status.id, of: link.handle.client) {
            fields["sink"] = sink.json
          }
          if let bridge = bridge(of: status.id, on: link.handle) { fields["bridge"] = .string(bridge.place) }
          return .object(fields)
        }
      })
  }
}
