import AccessoryProfile
import BLEGAP
import ControllerSharing
import Transport

/// The accessories of a group that share controllers, and their seats.
struct SharingPlan {
  /// The hub and seat of each accessory that shares a controller, by its index in the group.
  private(set) var places: [Int: (hub: SharedControllerLine, seat: SharedControllerLine.Seat)] = [:]

  /// Assigns the seats. A controller has only one public address, so only one of the accessories that share it can use that.
  init(_ plans: [AccessoryPlan], loop: PollLoop) throws(GroupFailure) {
    var sharers: [ControllerAddress: [Int]] = [:]
    for (index, plan) in plans.enumerated() where plan.options.sharesController && plan.options.controller != .virtual {
      sharers[plan.options.controller, default: []].append(index)
    }
    for (address, indices) in sharers.sorted(by: { $0.value[0] < $1.value[0] }) {
      if indices.count > 1, let user = indices.first(where: { plans[$0].profile.classic != nil }) {
        let refusal = SharingRefusal(hosts: indices.count, lack: .classic)
        throw GroupFailure(accessory: plans[user].name, failure: .unsharable(controller: address, refusal))
      }
      let bearers = indices.filter { plans[$0].profile.identity == .publicAddress }
      if bearers.count > 1 {
        let refusal = SharingRefusal(hosts: indices.count, lack: .publicAddresses(wanted: bearers.count))
        throw GroupFailure(
          accessory: plans[bearers[1]].name, failure: .unsharable(controller: address, refusal))
      }
      let hub = SharedControllerLine(
        address, waits: indices.contains { plans[$0].options.waitsForController },
        advertisingSetsNeeded: indices.map { plans[$0].profile.advertising.count }, loop: loop)
      for (seat, index) in indices.enumerated() { places[index] = (hub, seat) }
    }
  }
}
