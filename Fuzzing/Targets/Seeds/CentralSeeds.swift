import BLEATT
import BLECore
import BLEHCI

/// The inputs of `CentralTarget`.
enum CentralSeeds {
  /// A script of the steps that `CentralBench` takes.
  private struct CentralScript {
    var octets: [UInt8] = []

    init(_ write: (inout CentralScript) -> Void) { write(&self) }

    mutating func le<Event: LEMetaEvent>(_ event: Event) {
      let parameters = event.encoded
      octets += [1, Event.subevent.rawValue, UInt8(parameters.count)] + parameters
    }

    /// Lets time pass, in units of 500 ms.
    mutating func time(_ count: UInt8) { octets += [2, count, 1] }
    mutating func connect(_ handle: UInt8) { octets += [3, handle] }
    mutating func disconnect(_ handle: UInt8) { octets += [4, handle] }
    mutating func raw(_ run: [UInt8]) { octets += [5, UInt8(run.count)] + run }

    mutating func frame(_ handle: UInt8, channel: UInt8, _ payload: [UInt8]) {
      octets += [7, handle, channel, 250, UInt8(payload.count)] + payload
    }

    mutating func answers(_ isOn: Bool) { octets += [8, isOn ? 0 : 1] }

    /// Makes a request about a link, with a filter and a channel where it needs them.
    mutating func request(_ kind: UInt8, _ handle: UInt8 = 0, filter: UInt8 = 0, channel: UInt8 = 0) {
      octets += [9, handle, filter, channel, kind]
    }

    mutating func perform(_ operation: UInt8, _ handle: UInt8, _ attribute: UInt8 = 3) {
      octets += [10, handle, attribute, operation]
    }
  }

  private static let data: [UInt8] = [2, 1, 6, 5, 9] + Array("Fuzz".utf8)

  static var all: [Seed] {
    [
      Seed(
        "scanning",
        CentralScript {
          $0.request(0, filter: 1)
          var report = AdvertisingReport()
          report.data = data
          $0.le(LEAdvertisingReport { $0.reports = [report] })
          report.reportType = .scanResponse
          $0.le(LEAdvertisingReport { $0.reports = [report] })
          $0.request(1)
        }.octets),
      Seed(
        "extended-reports",
        CentralScript {
          $0.request(0)
          var report = ExtendedAdvertisingReport()
          report.data = data
          report.reportType.dataStatus = .moreToCome
          $0.le(LEExtendedAdvertisingReport { $0.reports = [report] })
          report.reportType.dataStatus = .complete
          $0.le(LEExtendedAdvertisingReport { $0.reports = [report] })
        }.octets),
      Seed(
        "connecting",
        CentralScript {
          $0.request(2); $0.connect(0); $0.request(5); $0.request(4); $0.disconnect(0)
        }.octets),
      Seed(
        "cancelled",
        CentralScript {
          $0.request(2); $0.request(3); $0.answers(false); $0.request(6); $0.time(30)
        }.octets),
      Seed(
        "client",
        CentralScript {
          $0.connect(1)
          $0.perform(0, 1)
          $0.frame(1, channel: 4, ExchangeMTUResponse(serverMTU: 100).encodedPDU)
          $0.perform(1, 1)
          $0.frame(1, channel: 4, [0x11, 6, 1, 0, 5, 0, 0, 0x18])
          $0.perform(2, 1)
          $0.disconnect(1)
        }.octets),
      Seed(
        "no-answer",
        CentralScript {
          $0.connect(1); $0.perform(8, 1); $0.time(61)
        }.octets),
      Seed(
        "server",
        CentralScript {
          $0.connect(0)
          $0.frame(0, channel: 4, ReadRequest(handle: 3).encodedPDU)
          $0.frame(0, channel: 4, HandleValueIndication(handle: 9, value: [1]).encodedPDU)
          $0.frame(0, channel: 6, [0x0B, 1])
        }.octets),
      Seed(
        "parameters",
        CentralScript {
          $0.connect(0)
          $0.frame(0, channel: 5, [0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 0x90, 1])
          $0.le(
            LERemoteConnectionParameterRequest {
              $0.intervalMinimum.rawValue = 6; $0.intervalMaximum.rawValue = 9
            })
        }.octets),
      Seed(
        "partial-packet",
        CentralScript {
          $0.raw([0x04, 0x3E, 90, 1]); $0.time(2); $0.connect(2)
        }.octets),
    ]
  }
}
