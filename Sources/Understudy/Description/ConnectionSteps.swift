import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// One arrow in the sequence diagram of a connection.
struct ConnectionStep: Hashable, Sendable {
  /// What is sent.
  var text: String
  /// Whether the central sends it.
  var isFromCentral: Bool
  /// Whether it is sent repeatedly.
  var isRepeated = false
}

extension ProfileDescription {
  /// The sequence of a connection with a central that uses everything, in order.
  var connectionSteps: [ConnectionStep] {
    var steps = profile.advertising.map { set in
      ConnectionStep(
        text: "Advertising \(set.id), every \(set.schedule.first?.interval.shortText ?? "")", isFromCentral: false,
        isRepeated: true)
    }
    if profile.advertising.contains(where: \.isConnectable) {
      steps.append(ConnectionStep(text: "Connection", isFromCentral: true))
      steps.append(ConnectionStep(text: "Exchange MTU, up to \(profile.connection.mtu)", isFromCentral: true))
      steps.append(ConnectionStep(text: "Discovery of \(database.services.count) services", isFromCentral: true))
      steps += profile.behaviors.flatMap { sendingSteps(of: $0) }
    }
    if let request = profile.connection.parameterRequest {
      steps.append(
        ConnectionStep(
          text: "Connection Parameter Update Request, after \(request.delay.shortText)", isFromCentral: false))
    }
    return steps
  }

  /// Returns the subscription to a characteristic, and what is then sent.
  private func sendingSteps(of behavior: CharacteristicBehavior) -> [ConnectionStep] {
    let sendings = [("Notification", behavior.notify), ("Indication", behavior.indicate)]
    return sendings.flatMap { kind, sending -> [ConnectionStep] in
      guard let sending else { return [] }
      let when: String
      switch sending {
      case .every(let period): when = "every \(period.shortText)"
      case .onChange: when = "when it changes"
      case .continuously: when = "as fast as it can"
      case .onDemand: when = "on demand"
      }
      return [
        ConnectionStep(text: "Subscription to \(behavior.id)", isFromCentral: true),
        ConnectionStep(text: "\(kind) of \(behavior.id), \(when)", isFromCentral: false, isRepeated: true),
      ]
    }
  }
}
