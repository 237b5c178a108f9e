import BLECore

/// Which modes a peer may request on a channel.
struct ModeRule: Hashable, Sendable {
  /// The mode that this side has, or asks for.
  var mode = ChannelMode.basic
  /// Whether it may become Enhanced Retransmission Mode.
  var mayRetransmit = false
  /// Whether the peer has requested Enhanced Retransmission Mode before, and keeps it if it says nothing.
  var isRequested = false
  var parameters = RetransmissionParameters()

  init(_ channel: ClassicChannel) {
    mode = channel.mode
    mayRetransmit = mode == .enhancedRetransmission || (channel.parameters.mode != .basic && !channel.isReported)
    isRequested = channel.negotiation.peerRequest != nil
    parameters = channel.parameters.retransmission
  }
}

/// What this side thinks of the options that a peer requests (Core 5.4 Vol 3 Part A 5).
struct ConfigurationVerdict: Hashable, Sendable {
  var result = ConfigurationResult.success
  /// The options of the response: the values that apply, acceptable values instead, or those that are unknown.
  var options: [ConfigurationOption] = []
  /// The longest SDU that the peer accepts, in octets; nil if it keeps the value.
  var mtu: UInt16?
  /// Whether the peer requests a mode that is out of question.
  var refusesMode = false
  /// The peer's values for Enhanced Retransmission Mode, if it requests that.
  var retransmission: RetransmissionOption?
  /// The check sequence that the peer requests; nil if it keeps the value.
  var check: FrameCheck?

  /// Judges the options of a request. The worst of them determines the result.
  init(_ options: [ConfigurationOption], _ rule: ModeRule) {
    var accepted: [ConfigurationOption] = []
    var proposed: [ConfigurationOption] = []
    var unknown: [ConfigurationOption] = []
    var isRejected = false
    var requested: RetransmissionOption?
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
        guard let value = option.value(as: RetransmissionOption.self) else { isRejected = true; continue }
        requested = value
      case .frameCheckSequence: check = option.value(as: FrameCheckOption.self)?.check
      default: if !option.type.isHint { unknown.append(option) }
      }
    }
    judgeMode(requested, rule, accepted: &accepted, proposed: &proposed)
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

  /// Judges the mode that the peer requests, or keeps.
  private mutating func judgeMode(
    _ option: RetransmissionOption?, _ rule: ModeRule, accepted: inout [ConfigurationOption],
    proposed: inout [ConfigurationOption]
  ) {
    let mode = option?.mode ?? (rule.isRequested ? .enhancedRetransmission : .basic)
    guard mode == .enhancedRetransmission, rule.mayRetransmit else {
      // A check sequence concerns only the modes with control fields.
      check = nil
      guard mode != rule.mode else { return }
      refusesMode = true
      let own = rule.mode == .basic ? RetransmissionOption(mode: .basic) : rule.parameters.request
      return proposed.append(ConfigurationOption(own))
    }
    if let check, check != .crc16, check != .none {
      proposed.append(ConfigurationOption(FrameCheckOption(check: .crc16)))
    }
    guard let option else { return }
    let answer = rule.parameters.answer(to: option)
    if (1..<EnhancedControl.sequenceCount).contains(Int(option.transmitWindow)), option.mps > 0 {
      retransmission = option
      accepted.append(ConfigurationOption(answer))
    } else {
      proposed.append(ConfigurationOption(answer))
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
