/// A parser of octets from outside, and what must hold whatever these are.
///
/// A run is a function of its octets alone: it makes all state anew, time and randomness come out of the octets. So an input
/// that was found once fails again in any build, in tests as under libFuzzer.
package protocol FuzzTarget: SendableMetatype {
  /// The name of its folders of inputs.
  static var name: String { get }

  /// Longer inputs are cut, in octets.
  static var maximumLength: Int { get }

  /// Inputs out of packets that mean something, from which mutations begin, by the names of their files.
  static var seeds: [Seed] { get }

  /// Feeds the parser with the input; throws when something does not hold.
  static func run(_ input: inout FuzzInput) throws(Violation)
}

/// All targets.
package enum FuzzTargets {
  /// In the order of the layers.
  package static let all: [any FuzzTarget.Type] = [
    OpeningTarget.self, H4Target.self, EventsTarget.self, L2CAPTarget.self, ATTTarget.self, SMPTarget.self,
    CentralTarget.self,
    RadioTarget.self,
    ProfileTarget.self, JSONTarget.self, HTTPTarget.self, CaptureTarget.self,
    DecodingTarget.self,
  ]

  /// The target of that name.
  package static func named(_ name: String) -> (any FuzzTarget.Type)? { all.first { $0.name == name } }
}

extension FuzzTarget {
  /// Runs with octets, as many of them as it takes.
  package static func run(_ octets: some Sequence<UInt8>) throws(Violation) {
    var input = FuzzInput(octets.prefix(maximumLength))
    try run(&input)
  }
}

/// Something that must hold and does not.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  /// What does not hold.
  package let description: String
}

/// Throws unless it holds.
func require(_ holds: Bool, _ description: @autoclosure () -> String) throws(Violation) {
  if !holds { throw Violation(description: description()) }
}

/// An input with the name of its file.
package struct Seed: Hashable, Sendable {
  /// A few words with hyphens.
  package var name: String
  /// The input.
  package var octets: [UInt8]

  init(_ name: String, _ octets: [UInt8]) {
    self.name = name
    self.octets = octets
  }
}
