import BLECore
import BLEHCI
import Transport

extension Observation {
  /// The time within which the shortest command must be answered. USB needs a few milliseconds; an FTDI
  /// adapter with its default settings waits 16.
  static let latencyLimit = Duration.milliseconds(10)
  /// The delay after which a running accessory considers the controller silent and resets it.
  static let latestAnswer = CommandQueue().timeout
  /// The minimum throughput, as a fraction of the port's speed.
  static let leastRate = 0.5

  /// The maximum connection intervals until a write is answered: the request and the response need one each.
  static let mostIntervals = 4
  /// The minimum throughput, as a fraction of the limit of the link layer.
  static let leastLinkRate = 0.5

  /// The verdict on the observation.
  public var verdict: ExaminationVerdict {
    switch self {
    case .skipped: .skipped
    case .portReady(_, let stablePath, let isUSB): isUSB && stablePath == nil ? .warning : .ok
    case .portHeld(_, _, let isLocked): isLocked ? .failed : .warning
    case .portMissing, .portForbidden, .unreachable, .noSpeed, .silent, .noise, .hungUp: .failed
    case .modemManagerNear, .speedDiffers, .lostPlace, .missing, .repeated: .warning
    case .modemLines(let lines, let flowControl): flowControl && !lines.cts ? .failed : .ok
    case .synchronized(let strayOctets): strayOctets > 0 ? .warning : .ok
    case .unanswered, .refused, .lossy, .burstsLost, .pauseLost, .unheard, .restarted, .stopped: .failed
    case .amount(let amount, let wanted, _): amount < wanted ? .warning : .ok
    case .buffers(let length, let count, _):
      length < CapabilityTrial.Wanted.aclLength || count < CapabilityTrial.Wanted.aclCount ? .warning : .ok
    case .latency(let median, _): median > Self.latencyLimit ? .warning : .ok
    case .late(_, _, let longest): longest >= Self.latestAnswer ? .failed : .warning
    case .linkLatency(let median, _, let interval, _): median > interval * Self.mostIntervals ? .warning : .ok
    case .linkRate(let kbps, let limit, _): kbps < limit * Self.leastLinkRate ? .warning : .ok
    case .linkFailed: .failed
    case .rate(let octets, let limit): Double(octets) < Double(limit ?? 0) * Self.leastRate ? .warning : .ok
    case .reached, .noModemManager, .modemManagerKeptAway, .speedFits, .identified, .resynchronized, .present, .exact,
      .burstsWhole, .rateBeyondClock, .listening, .advertised, .heard, .stable:
      .ok
    }
  }
}

extension StepFinding {
  /// The Zephyr build options that add what is missing, as in `Hardware/zephyr`. Empty if nothing is missing
  /// or the firmware is not Zephyr's.
  public var configuration: [String] {
    guard verdict == .warning, isOfZephyr else { return [] }
    return switch step {
    case .extendedAdvertising: ["CONFIG_BT_EXT_ADV=y", "CONFIG_BT_CTLR_ADV_EXT=y"]
    case .advertisingSets: ["CONFIG_BT_CTLR_ADV_SET=6", "CONFIG_BT_CTLR_ADV_AUX_SET=6"]
    case .advertisingData: ["CONFIG_BT_CTLR_ADV_DATA_LEN_MAX=1650", "CONFIG_BT_CTLR_ADV_DATA_CHAIN=y"]
    case .phy2M: ["CONFIG_BT_CTLR_PHY_2M=y"]
    case .phyCoded: ["CONFIG_BT_CTLR_PHY_CODED=y"]
    case .dataLength: ["CONFIG_BT_CTLR_DATA_LENGTH_MAX=251", "CONFIG_BT_DATA_LEN_UPDATE=y"]
    case .aclBuffers: ["CONFIG_BT_BUF_ACL_TX_SIZE=251", "CONFIG_BT_BUF_ACL_TX_COUNT=10"]
    default: []
    }
  }

  private var isOfZephyr: Bool {
    switch observation {
    case .missing(let maker), .amount(_, _, let maker), .buffers(_, _, let maker): maker == .zephyr || maker == .nordic
    default: false
    }
  }
}
