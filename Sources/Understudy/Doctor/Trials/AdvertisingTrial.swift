import BLECore
import BLEHCI

/// Advertises for a moment, without being connectable, and looks whether the second controller hears it.
struct AdvertisingTrial: Trial {
  /// Which commands it uses.
  enum Family: String, Hashable, Sendable { case legacy, extended }

  /// How long the second controller has.
  static let patience = Duration.seconds(3)
  /// 100 ms, the shortest that old controllers take for advertising that is not connectable.
  private static let interval = AdvertisingInterval(rawValue: 0x00A0)
  /// A name for those who look: `Understudy`.
  private static let data: [UInt8] = [11, 0x09] + Array("Understudy".utf8)

  private let family: Family
  private let address: DeviceAddress
  private var script: [any HCICommand] = []
  private var isOn = false

  /// A trial of those commands; the address follows from the seed.
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

  /// The reset at the head lets the family be chosen anew (Core 5.4 Vol 4 Part E 3.1.1).
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
