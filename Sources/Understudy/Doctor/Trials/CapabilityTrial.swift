import BLECore
import BLEHCI

/// Compares what the controller can with what accessories want of it.
struct CapabilityTrial: Trial {
  /// What accessories want.
  enum Wanted {
    /// Sets of advertising under one identity.
    static let sets = 2
    /// Octets of data in one set: as much as one packet carries with Zephyr.
    static let advertisingData = 191
    /// Octets of data in one packet on the air.
    static let dataLength = 251
    /// Octets of data in one ACL packet: as many as in one packet on the air.
    static let aclLength = 251
    /// ACL packets, so that one can be filled while others are on their way.
    static let aclCount = 4
  }

  var steps: [ExaminationStep] {
    [.extendedAdvertising, .phy2M, .phyCoded, .advertisingSets, .advertisingData, .dataLength, .aclBuffers]
  }

  private var questions: [any HCICommand] = []

  mutating func proceed(after news: TrialNews, _ chart: inout Chart) -> TrialAction {
    switch news {
    case .begun: prepare(&chart)
    case .answered(let exchange): learn(exchange, &chart)
    default: break
    }
    return questions.isEmpty ? .end : .exchange(questions.removeFirst())
  }

  private mutating func prepare(_ chart: inout Chart) {
    let maker = chart.manufacturer
    chart.note(.extendedAdvertising, chart.hasExtendedAdvertising ? .present : .missing(maker))
    chart.note(.phy2M, chart.features.contains(.phy2M) ? .present : .missing(maker))
    chart.note(.phyCoded, chart.features.contains(.phyCoded) ? .present : .missing(maker))
    if chart.hasExtendedAdvertising {
      // Reading these locks the legacy commands out until the next reset (Core 5.4 Vol 4 Part E 3.1.1).
      questions = [LEReadNumberOfSupportedAdvertisingSets(), LEReadMaximumAdvertisingDataLength(), HCIReset()]
    } else {
      chart.note(.advertisingSets, .skipped(.noExtendedAdvertising))
      chart.note(.advertisingData, .skipped(.noExtendedAdvertising))
    }
    if chart.commands.contains(.leReadMaximumDataLength), chart.features.contains(.dataPacketLengthExtension) {
      questions.append(LEReadMaximumDataLength())
    } else {
      chart.note(.dataLength, .amount(27, wanted: Wanted.dataLength, maker))
    }
    questions.append(LEReadBufferSize())
  }

  private mutating func learn(_ exchange: CommandExchange, _ chart: inout Chart) {
    let maker = chart.manufacturer
    let refusal = Observation.refused(exchange.opcode, exchange.failure)
    switch exchange.opcode {
    case .leReadBufferSize:
      guard let answer = exchange.returned(LEReadBufferSize.self) else { return chart.note(.aclBuffers, refusal) }
      noteBuffers(Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets), &chart)
    case .readBufferSize:
      guard let answer = exchange.returned(HCIReadBufferSize.self) else { return chart.note(.aclBuffers, refusal) }
      let (length, count) = (Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
      chart.note(.aclBuffers, .buffers(length: length, count: count, maker))
    case .leReadMaximumDataLength:
      guard let answer = exchange.returned(LEReadMaximumDataLength.self) else {
        return chart.note(.dataLength, refusal)
      }
      chart.note(.dataLength, .amount(Int(answer.maximumTxOctets), wanted: Wanted.dataLength, maker))
    case .leReadNumberOfSupportedAdvertisingSets:
      guard let answer = exchange.returned(LEReadNumberOfSupportedAdvertisingSets.self) else {
        return chart.note(.advertisingSets, refusal)
      }
      chart.note(.advertisingSets, .amount(Int(answer.count), wanted: Wanted.sets, maker))
    case .leReadMaximumAdvertisingDataLength:
      guard let answer = exchange.returned(LEReadMaximumAdvertisingDataLength.self) else {
        return chart.note(.advertisingData, refusal)
      }
      chart.advertisingDataLength = Int(answer.maximumLength)
      chart.note(.advertisingData, .amount(Int(answer.maximumLength), wanted: Wanted.advertisingData, maker))
    default: break
    }
  }

  /// Zero means that LE shares the buffers of BR/EDR (Core 5.4 Vol 4 Part E 7.8.2).
  private mutating func noteBuffers(_ length: Int, _ count: Int, _ chart: inout Chart) {
    if length == 0 || count == 0 {
      questions.append(HCIReadBufferSize())
    } else {
      chart.note(.aclBuffers, .buffers(length: length, count: count, chart.manufacturer))
    }
  }
}
