import BLECore
import BLEHCI

/// Compares the controller's capabilities with what accessories need.
struct CapabilityTrial: Trial {
  /// What accessories need.
  enum Wanted {
    /// Advertising sets under one identity.
    static let sets = 2
    /// Octets of data in one set: as many as one packet carries with Zephyr.
    static let advertisingData = 191
    /// Octets of data in one packet on the air.
    static let dataLength = 251
    /// Octets of data in one ACL packet: as many as in one packet on the air.
    static let aclLength = 251
    /// ACL packets, so that one can be filled while others are in transit.
    static let aclCount = 4
  }

  var steps: [ExaminationStep] {
    [.extendedAdvertising, .phy2M, .phyCoded, .advertisingSets, .advertisingData, .dataLength, .aclBuffers]
  }

  private var questions: [any HCICommand] = []

  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction {
    switch news {
    case .begun: prepare(&state)
    case .answered(let exchange): learn(exchange, &state)
    default: break
    }
    return questions.isEmpty ? .end : .exchange(questions.removeFirst())
  }

  private mutating func prepare(_ state: inout ExaminationState) {
    let maker = state.manufacturer
    state.note(.extendedAdvertising, state.hasExtendedAdvertising ? .present : .missing(maker))
    state.note(.phy2M, state.features.contains(.phy2M) ? .present : .missing(maker))
    state.note(.phyCoded, state.features.contains(.phyCoded) ? .present : .missing(maker))
    if state.hasExtendedAdvertising {
      // After these commands, legacy commands are disallowed until the next reset (Core 5.4 Vol 4 Part E 3.1.1).
      questions = [LEReadNumberOfSupportedAdvertisingSets(), LEReadMaximumAdvertisingDataLength(), HCIReset()]
    } else {
      state.note(.advertisingSets, .skipped(.noExtendedAdvertising))
      state.note(.advertisingData, .skipped(.noExtendedAdvertising))
    }
    if state.commands.contains(.leReadMaximumDataLength), state.features.contains(.dataPacketLengthExtension) {
      questions.append(LEReadMaximumDataLength())
    } else {
      state.note(.dataLength, .amount(27, wanted: Wanted.dataLength, maker))
    }
    questions.append(LEReadBufferSize())
  }

  private mutating func learn(_ exchange: CommandExchange, _ state: inout ExaminationState) {
    let maker = state.manufacturer
    let refusal = Observation.refused(exchange.opcode, exchange.failure)
    switch exchange.opcode {
    case .leReadBufferSize:
      guard let answer = exchange.returned(LEReadBufferSize.self) else { return state.note(.aclBuffers, refusal) }
      noteBuffers(Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets), &state)
    case .readBufferSize:
      guard let answer = exchange.returned(HCIReadBufferSize.self) else { return state.note(.aclBuffers, refusal) }
      let (length, count) = (Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
      state.note(.aclBuffers, .buffers(length: length, count: count, maker))
    case .leReadMaximumDataLength:
      guard let answer = exchange.returned(LEReadMaximumDataLength.self) else {
        return state.note(.dataLength, refusal)
      }
      state.note(.dataLength, .amount(Int(answer.maximumTxOctets), wanted: Wanted.dataLength, maker))
    case .leReadNumberOfSupportedAdvertisingSets:
      guard let answer = exchange.returned(LEReadNumberOfSupportedAdvertisingSets.self) else {
        return state.note(.advertisingSets, refusal)
      }
      state.note(.advertisingSets, .amount(Int(answer.count), wanted: Wanted.sets, maker))
    case .leReadMaximumAdvertisingDataLength:
      guard let answer = exchange.returned(LEReadMaximumAdvertisingDataLength.self) else {
        return state.note(.advertisingData, refusal)
      }
      state.advertisingDataLength = Int(answer.maximumLength)
      state.note(.advertisingData, .amount(Int(answer.maximumLength), wanted: Wanted.advertisingData, maker))
    default: break
    }
  }

  /// Records the buffers. Zero means that LE shares the buffers of BR/EDR (Core 5.4 Vol 4 Part E 7.8.2).
  private mutating func noteBuffers(_ length: Int, _ count: Int, _ state: inout ExaminationState) {
    if length == 0 || count == 0 {
      questions.append(HCIReadBufferSize())
    } else {
      state.note(.aclBuffers, .buffers(length: length, count: count, state.manufacturer))
    }
  }
}
