import BLECore

/// Faults for any profile, because they refer to nothing in it: every occasion with every action.
package enum FaultChoice {
  /// Returns a random fault in the syntax of `--fault`.
  static func text(_ random: inout SplitMix64) -> String {
    func pick(_ texts: [String], _ random: inout SplitMix64) -> String {
      texts[Int(random.upTo(UInt64(texts.count - 1)))]
    }
    return "on: \(pick(occasions, &random)), do: \(pick(actions, &random)), times: \(1 + random.upTo(3))"
  }

  /// All occasions.
  package static let occasions = [
    "{ read: any }", "{ write: any }", "{ access: any }", "{ subscribe: any }", "{ notify: any }", "{ indicate: any }",
    "{ push: any }", "{ subscribed: any }", "{ unsubscribed: any }", "connected", "encrypted", "disconnected",
    "parameters", "{ channel-request: any }", "{ channel: any }", "{ sdu: any }", "{ at: 1 s }", "{ every: 5 s }",
    "{ request: exchange-mtu }",
  ]
  /// The actions that leave the accessory's answers true.
  private static let truthful = ["{ delay: ", "{ disconnect: ", "{ vanish: ", "{ flood: "]

  /// Returns whether the accessory's answers stay true while a fault is armed.
  static func isTruthful(_ fault: String) -> Bool { truthful.contains { fault.contains("do: \($0)") } }

  /// All actions.
  package static let actions = [
    "{ error: unlikely-error }", "{ delay: 500 ms }", "ignore", "{ repeat: 2 }", "{ truncate: 2 }", "{ lengthen: 60 }",
    "corrupt", "wrong-request", "{ value: hex:01 }", "{ mtu: 30 }", "drop", "reorder", "{ keep-sending: 3 }",
    "{ disconnect: user-terminated }", "{ disconnect: user-terminated, when: before }",
    "{ disconnect: user-terminated, when: during }", "mute",
    "refuse", "{ flood: { with: parameters, times: 3 } }", "{ flood: { with: phy, times: 3 } }",
    "{ flood: { with: data-length, times: 3 } }", "{ credits: withhold }", "{ credits: overflow }",
    "{ frame: sdu-too-long }", "{ frame: excess }", "{ frame: too-long }", "{ frame: short }", "close",
    "{ services: change }", "{ services: change-silently }", "{ service-changed: 3 }", "{ keys: forget }",
    "{ keys: corrupt }", "{ vanish: 2 s }", "{ reboot: 4 s }", "reset-controller", "{ clock-ahead: 1 h }",
    "{ clock-behind: 1 h }", "{ advertise: over-long }",
  ]
}
