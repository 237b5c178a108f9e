import BLECore

/// What this side thinks of the options that a peer requests (Core 5.4 Vol 3 Part A 5).
struct ConfigurationVerdict: Hashable, Sendable {
  var result = ConfigurationResult.success
  /// The options of the response: the values that apply, acceptable values instead, or those that are unknown.
  var options: [ConfigurationOption] = []
  /// The longest SDU that the peer accepts, in octets; nil if it keeps the value.
  var mtu: UInt16?
  /// Whether the peer requests another mode than the basic one.
  var refusesMode = false

  /// Judges the options of a request. The worst of them determines the result.
  init(_ options: [ConfigurationOption]) {
    var accepted: [ConfigurationOption] = []
    var proposed: [ConfigurationOption] = []
    var unknown: [ConfigurationOption] = []
    var isRejected = false
    for option in options {
      switch option.type.withoutHint {
      case .mtu:
        guard let mtu = option.value(as: MTUOption.self)?.mtu else { isRejected = true; continue }
        if mtu >= MTUOption.minimumMTU {
          self.mtu = mtu
          accepted.append(ConfigurationOption(MTUOption(mtu: mtu)))
        } else {
          proposed.append(ConfigurationOption(MTUOption(mtu: MTUOption.minimumMTU)))
        }
      case .flushTimeout:
        guard let timeout = option.value(as: FlushTimeoutOption.self)?.timeout else { isRejected = true; continue }
        if timeout == 0 { proposed.append(ConfigurationOption(FlushTimeoutOption())) }
      case .qualityOfService:
        guard let service = option.value(as: QualityOfServiceOption.self)?.serviceType else {
          isRejected = true
          continue
        }
        if service == .guaranteed { proposed.append(ConfigurationOption(QualityOfServiceOption())) }
      case .retransmissionAndFlowControl:
        guard let mode = option.value(as: RetransmissionOption.self)?.mode else { isRejected = true; continue }
        if mode != .basic {
          refusesMode = true
          proposed.append(ConfigurationOption(RetransmissionOption(mode: .basic)))
        }
      // It concerns only modes that this side does not have.
      case .frameCheckSequence: break
      default: if !option.type.isHint { unknown.append(option) }
      }
    }
    if isRejected {
      result = .rejected
    } else if !unknown.isEmpty {
      (result, self.options) = (.unknownOptions, unknown)
    } else if !proposed.isEmpty {
      (result, self.options) = (.unacceptableParameters, proposed)
    } else {
      self.options = accepted
    }
  }

  /// Returns the options as they fit a C-frame that every peer accepts. Values of unknown options are left out first.
  var fittingOptions: [ConfigurationOption] {
    let room = ClassicChannels.minimumSignallingMTU - SignallingHeader.octetCount - ConfigurationResponse.headLength
    let length = { (options: [ConfigurationOption]) in options.reduce(0) { $0 + 2 + $1.value.count } }
    if length(options) <= room { return options }
    return Array(options.map { ConfigurationOption($0.type) }.prefix(room / 2))
  }
}

extension ConfigurationResponse {
  /// The number of octets before the options.
  static let headLength = 6
}
