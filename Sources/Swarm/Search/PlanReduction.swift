import AccessoryProfile
import BLECore

extension SwarmPlan {
  /// The smaller plans, the largest cuts first: fewer centrals, fewer steps, less time, a simpler controller,
  /// simpler faults, a smaller profile.
  package var reductions: [SwarmPlan] {
    var plans: [SwarmPlan] = []
    func add(_ change: (inout SwarmPlan) -> Void) {
      var plan = self
      change(&plan)
      if plan != self { plans.append(plan) }
    }
    // The addresses of centrals depend on their numbers. So only the last central can be removed; the others can lose their steps.
    if !centrals.isEmpty { add { $0.centrals.removeLast() } }
    for index in centrals.indices {
      add { $0.centrals[index].steps = [] }
      add { $0.centrals[index].isDual = false }
    }
    if !peers.isEmpty { add { $0.peers.removeLast() } }
    for index in peers.indices {
      add { $0.peers[index].steps = [] }
      add { $0.peers[index].central = nil }
    }
    add { $0.owner = [] }
    for cut in Self.cuts(of: owner.count) { add { $0.owner.removeSubrange(cut) } }
    for index in centrals.indices {
      for cut in Self.cuts(of: centrals[index].steps.count) { add { $0.centrals[index].steps.removeSubrange(cut) } }
    }
    for index in peers.indices {
      for cut in Self.cuts(of: peers[index].steps.count) { add { $0.peers[index].steps.removeSubrange(cut) } }
    }
    if duration > .seconds(2) { add { $0.duration = .seconds(max(1, Int64($0.duration.inSeconds / 2))) } }
    if companion != nil { add { $0.companion = nil } }
    let simplest = peers.isEmpty && !centrals.contains(where: \.isDual) ? "full" : "dual"
    if preset != simplest { add { $0.preset = simplest } }
    addSmallerFaults(to: &plans)
    // A shipped profile keeps its name. Only the text of another profile can be reduced.
    if profile.contains("\n") {
      for smaller in ProfileReduction.smaller(profile) { add { $0.profile = smaller.text } }
    }
    return plans
  }

  private func addSmallerFaults(to plans: inout [SwarmPlan]) {
    guard let profile = try? Profile.load(swarm: profile) else { return }
    for (place, step) in owner.enumerated() {
      guard case .arm(let fault) = step.act else { continue }
      for smaller in ProfileReduction.smallerFaults(fault, for: profile) {
        var plan = self
        plan.owner[place].act = .arm(smaller)
        plans.append(plan)
      }
    }
  }

  /// Returns the ranges to cut: halves, quarters and so on, down to single steps.
  private static func cuts(of count: Int) -> [Range<Int>] {
    var cuts: [Range<Int>] = []
    var size = count / 2
    while size > 0 {
      for start in stride(from: 0, to: count, by: size) { cuts.append(start..<min(count, start + size)) }
      size /= 2
    }
    return cuts
  }

  /// Returns the smallest plan that still fails, after at most this many attempts.
  package func shrunk(attempts: Int, where fails: (SwarmPlan) -> Bool) -> SwarmPlan {
    var (smallest, left) = (self, attempts)
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for plan in smallest.reductions {
        guard left > 0 else { return smallest }
        left -= 1
        guard fails(plan) else { continue }
        (smallest, isSmaller) = (plan, true)
        break
      }
    }
    return smallest
  }
}
