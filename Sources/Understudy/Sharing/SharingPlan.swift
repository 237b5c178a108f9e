import AccessoryProfile
import BLEGAP
import ControllerSharing
import Transport

/// Which accessories of a group share a controller, and where each sits at it.
struct SharingPlan {
  /// The places of those that share one, by their number in the group.
  private(set) var places: [Int: (hub: SharedControllerLine, seat: SharedControllerLine.Seat)] = [:]

  /// The seating of those plans. A controller has one address of its own, so only one of those that share it can have that.
  init(_ plans: [AccessoryPlan], loop: PollLoop) throws(GroupFailure) {
    var sharers: [ControllerAddress: [Int]] = [:]
    for (index, plan) in plans.enumerated() where plan.options.sharesController && plan.options.controller != .virtual {
      sharers[plan.options.controller, default: []].append(index)
    }
    for (address, indices) in sharers.sorted(by: { $0.value[0] < $1.value[0] }) {
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
