import BLECore
import BLEHCI

/// Advertises for a moment, without being connectable, and checks whether the second controller receives it.
struct AdvertisingTrial: Trial {
  /// The commands that the trial uses.
  enum Family: String, Hashable, Sendable { case legacy, extended }

  /// How long the second controller may take to receive it.
  static let patience = Duration.seconds(3)
  /// 100 ms, the shortest interval that old controllers accept for non-connectable advertising.
  private static let interval = AdvertisingInterval(rawValue: 0x00A0)
  /// A Complete Local Name for scanners: `Understudy`.
  private static let data: [UInt8] = [11, 0x09] + Array("Understudy".utf8)

  private let family: Family
  private let address: DeviceAddress
  private var script: [any HCICommand] = []
  private var isOn = false

  /// Creates a trial with those commands. The address is derived from the seed.
  init(_ family: Family, seed: UInt64) {
    self.family = family
    address = .randomStatic(from: SplitMix64.seed(seed, for: "doctor \(family.rawValue)"))
  }

  private var step: ExaminationStep { family == .legacy ? .legacyOnAir : .extendedOnAir }
  var steps: [ExaminationStep] { [step] }

  func obstacle(in state: ExaminationState) -> SkipReason? {
    if state.losesOctets { return .lossyLine }
    if family == .extended { return state.hasExtendedAdvertising ? nil : .noExtendedAdvertising }
    return state.commands.contains(.leSetAdvertisingEnable) ? nil : .commandsMissing
  }

  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction {
    switch news {
    case .begun: script = begin
    case .answered(let exchange):
      if exchange.status != .success {
        state.note(step, .refused(exchange.opcode, exchange.status))
        if exchange.opcode == .reset { return .end }
        script = [HCIReset()]
      }
    case .listened(let heard): state.note(step, heard ? .heard : .unheard)
    default: break
    }
    if !script.isEmpty { return .exchange(script.removeFirst()) }
    guard !isOn, state[step] == nil else { return .end }
    isOn = true
    script = [HCIReset()]
    if state.conditions.listening == .extended || (family == .legacy && state.conditions.listening == .legacy) {
      return .listen(for: address, atMost: Self.patience)
    }
    state.note(step, .advertised)
    return .exchange(script.removeFirst())
  }

  /// The commands that start advertising. The reset at the start permits a change between legacy and extended
  /// commands (Core 5.4 Vol 4 Part E 3.1.1).
  private var begin: [any HCICommand] {
    switch family {
    case .legacy:
      [
        HCIReset(), LESetRandomAddress { $0.address = address },
        LESetAdvertisingParameters {
          $0.intervalMinimum = Self.interval
          $0.intervalMaximum = Self.interval
          $0.advertisingType = .nonConnectable
          $0.ownAddressType = .random
        },
        LESetAdvertisingData { $0.data = LegacyAdvertisingData(Self.data) ?? LegacyAdvertisingData() },
        LESetAdvertisingEnable { $0.enable = true },
      ]
    case .extended:
      [
        HCIReset(),
        LESetExtendedAdvertisingParameters {
          $0.primaryIntervalMinimum = Self.interval
          $0.primaryIntervalMaximum = Self.interval
          $0.ownAddressType = .random
        },
        LESetAdvertisingSetRandomAddress { $0.address = address },
        LESetExtendedAdvertisingData { $0.data = Self.data },
        LESetExtendedAdvertisingEnable {
          $0.enable = true
          $0.sets = [AdvertisingSetActivation()]
        },
      ]
    }
  }
}
