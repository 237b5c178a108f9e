import AccessoryProfile
import BLEGAP
import Transport

extension AccessoryPlan {
  /// Returns plans for the accessories of a fleet, like those for profiles (`plans(for:options:)`), with the
  /// names, seeds, controllers and faults from the fleet. Accessories with the same controller share it.
  /// `waits` is whether they wait for a missing controller; nil for the default of each.
  package static func plans(
    for fleet: Fleet, options: AccessoryOptions, waits: Bool? = nil
  ) throws(FleetError) -> [AccessoryPlan] {
    var options = options
    options.seed = fleet.seed ?? options.seed
    var plans: [AccessoryPlan]
    do throws(SharedAddressError) { plans = try Self.plans(for: fleet.members.map(\.profile), options: options) } catch
    {
      throw FleetError(reason: "\(fleet.file): \(error)")
    }
    var names: Set<String> = []
    for (index, member) in fleet.members.enumerated() {
      let place = "\(fleet.file):\(member.place.line):\(member.place.column): error: "
      if let name = member.name { plans[index].name = name }
      guard names.insert(plans[index].name).inserted else {
        throw FleetError(reason: "\(place)there is another accessory '\(plans[index].name)': give this one a 'name'")
      }
      if let seed = member.seed { plans[index].options.seed = seed }
      plans[index].options.ringName = plans[index].name
      plans[index].options.faults = member.faults
      do throws(ControllerAddress.ParseError) {
        plans[index].options.controller = try ControllerAddress(parsing: member.controller)
      } catch {
        throw FleetError(reason: "\(place)\(error)")
      }
      guard plans[index].options.controller != .auto || plans.count == 1 else {
        throw FleetError(reason: "\(place)auto chooses a board for one accessory: name the port, as serial:PATH")
      }
      plans[index].options.waitsForController = waits ?? plans[index].options.controller.mayComeBack
    }
    try checkAddresses(of: plans, fleet)
    let controllers = plans.map(\.options.controller)
    for index in plans.indices where controllers[index] != .virtual {
      plans[index].options.sharesController = controllers.count { $0 == controllers[index] } > 1
    }
    return plans
  }

  /// Throws if the given seeds give two accessories the same address.
  private static func checkAddresses(of plans: [AccessoryPlan], _ fleet: Fleet) throws(FleetError) {
    struct Source: Hashable {
      var text: String
      var seed: UInt64
    }
    var first: [Source: Int] = [:]
    for (index, plan) in plans.enumerated() {
      guard case .derivedStatic(let text) = plan.profile.identity else { continue }
      guard let other = first.updateValue(index, forKey: Source(text: text, seed: plan.options.seed)) else { continue }
      let place = fleet.members[index].place
      throw FleetError(
        reason: "\(fleet.file):\(place.line):\(place.column): error: '\(plan.name)' would have the same address as "
          + "'\(plans[other].name)': give them different seeds, or profiles with different names")
    }
  }
}

/// The error if the accessories of a fleet cannot run together.
package struct FleetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where, why, and what to do.
  package var reason: String

  /// Where, why, and what to do.
  package var description: String { reason }
}
