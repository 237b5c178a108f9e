/// A parser of octets from outside, and what must be true whatever the octets are.
///
/// A run is a function of its octets alone: it makes all state anew, and takes time and randomness from the
/// octets. So an input that failed once fails again in any build, in tests and under libFuzzer.
package protocol FuzzTarget: SendableMetatype {
  /// The name of its folders of inputs.
  static var name: String { get }

  /// The length at which longer inputs are cut, in octets.
  static var maximumLength: Int { get }

  /// Inputs made of meaningful packets, from which mutations start. Each has the name of its file.
  static var seeds: [Seed] { get }

  /// Feeds the input to the parser; throws when something is wrong.
  static func run(_ input: inout FuzzInput) throws(Violation)
}

/// All targets.
package enum FuzzTargets {
  /// All targets, in the order of the layers.
  package static let all: [any FuzzTarget.Type] = [
    OpeningTarget.self, H4Target.self, EventsTarget.self, L2CAPTarget.self, ClassicTarget.self, ATTTarget.self,
    SDPTarget.self, SMPTarget.self,
    CentralTarget.self,
    RadioTarget.self,
    ProfileTarget.self, ImportTarget.self, JSONTarget.self, HTTPTarget.self, CaptureTarget.self,
    DecodingTarget.self,
  ]

  /// Returns the target with that name.
  package static func named(_ name: String) -> (any FuzzTarget.Type)? { all.first { $0.name == name } }
}

extension FuzzTarget {
  /// Runs with those octets, as many of them as the target takes.
  package static func run(_ octets: some Sequence<UInt8>) throws(Violation) {
    var input = FuzzInput(octets.prefix(maximumLength))
    try run(&input)
  }
}

/// Something that must be true and is not.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package let description: String
}

/// Throws unless the condition is true.
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
