import BLECore
import BLEHCI
import ControllerSharing
import Testing

@Suite("Connections of hosts that share a controller")
struct RoutingTests {
  private static let lengthChange = LEDataLengthChange { $0.connectionHandle.rawValue = 9 }

  @Test("A connection is held until its set is named, with all its events in between")
  func held() {
    let desk = Desk.ready()
    desk.controller(Desk.connected(9))
    desk.controller(Desk.data(9))
    desk.controller(Self.lengthChange)
    #expect(desk.heard(0).isEmpty && desk.heard(1).isEmpty)
    desk.controller(Desk.terminated(1, by: 9))
    #expect(desk.heard(0).isEmpty)
    #expect(
      desk.heard(1) == [
        Desk.connected(9).h4, Desk.data(9), Self.lengthChange.h4, Desk.terminated(0, by: 9).h4,
      ])
    desk.controller(Desk.data(9, [4]))
    #expect(desk.heard(1) == [Desk.data(9, [4])] && desk.heard(0).isEmpty)
  }

  @Test("The set may be named first")
  func namedFirst() {
    let desk = Desk.ready()
    desk.controller(Desk.terminated(1, by: 9))
    #expect(desk.heard(1) == [Desk.terminated(0, by: 9).h4])
    desk.controller(Desk.connected(9))
    #expect(desk.heard(1) == [Desk.connected(9).h4] && desk.heard(0).isEmpty)
    desk.advance(.seconds(5))
    #expect(desk.sent().isEmpty)
  }

  @Test("A connection that ends before its set is named is reported in full")
  func endedWhileHeld() {
    let desk = Desk.ready()
    desk.controller(Desk.connected(9))
    desk.controller(Desk.ended(9))
    desk.controller(Desk.terminated(0, by: 9))
    #expect(desk.heard(0) == [Desk.connected(9).h4, Desk.ended(9).h4, Desk.terminated(0, by: 9).h4])
    // The handle is free.
    desk.connect(9, by: 1)
    desk.controller(Desk.data(9))
    #expect(desk.heard(1) == [Desk.data(9)])
  }

  @Test("A connection whose set is never named is ended, because its host is unknown")
  func neverNamed() {
    let desk = Desk.ready()
    desk.controller(Desk.connected(9))
    desk.advance(.milliseconds(999))
    #expect(desk.sent().isEmpty)
    desk.advance(.milliseconds(1))
    #expect(desk.sent().opcodes == [.disconnect])
    desk.controller(HCICommandStatus(.disconnect, .success))
    desk.controller(Desk.ended(9))
    #expect(desk.heard(0).isEmpty && desk.heard(1).isEmpty)
    #expect(desk.shared.nextDeadline == nil)
  }

  @Test("A connection that is named and never reported is ended, in case it exists")
  func neverCame() {
    let desk = Desk.ready()
    desk.controller(Desk.terminated(1, by: 9))
    desk.advance(.seconds(1))
    #expect(desk.sent().opcodes == [.disconnect])
    desk.controller(HCICommandStatus(.disconnect, .unknownConnectionIdentifier))
    #expect(desk.shared.nextDeadline == nil)
    desk.connect(9, by: 0)
    desk.controller(Desk.data(9))
    #expect(desk.heard(0) == [Desk.data(9)])
  }

  @Test("Octets that form no packet are counted, once")
  func skipped() {
    let desk = Desk.ready()
    desk.connect(9, by: 0)
    desk.controller([0xAA, 0xBB] + Self.lengthChange.h4)
    #expect(desk.shared.takeSkippedOctets() == 2 && desk.shared.takeSkippedOctets() == 0)
    #expect(desk.heard(0) == [Self.lengthChange.h4])
  }

  @Test("The amount of held data is limited")
  func heldLimit() {
    let desk = Desk.ready()
    desk.controller(Desk.connected(9))
    for _ in 0..<300 { desk.controller(Desk.data(9, Array(repeating: 7, count: 251))) }
    #expect(desk.sent().opcodes == [.disconnect])
    desk.controller(Desk.terminated(0, by: 9))
    #expect(desk.heard(0) == [Desk.terminated(0, by: 9).h4])
  }

  @Test("Events and data go only to the owner of their connection")
  func owners() {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.connect(4, by: 1)
    let aboutThree: [[UInt8]] = [
      LEConnectionUpdateComplete { $0.connectionHandle.rawValue = 3 }.h4,
      LEReadRemoteFeaturesComplete { $0.connectionHandle.rawValue = 3 }.h4,
      LELongTermKeyRequest { $0.connectionHandle.rawValue = 3 }.h4,
      LERemoteConnectionParameterRequest { $0.connectionHandle.rawValue = 3 }.h4,
      LEDataLengthChange { $0.connectionHandle.rawValue = 3 }.h4,
      LEPHYUpdateComplete { $0.connectionHandle.rawValue = 3 }.h4,
      LEChannelSelectionAlgorithm { $0.connectionHandle.rawValue = 3 }.h4,
      HCIEncryptionChange { $0.connectionHandle.rawValue = 3 }.h4,
      HCIEncryptionChangeV2 { $0.connectionHandle.rawValue = 3 }.h4,
      HCIEncryptionKeyRefreshComplete { $0.connectionHandle.rawValue = 3 }.h4,
      HCIReadRemoteVersionInformationComplete { $0.connectionHandle.rawValue = 3 }.h4,
      HCIAuthenticatedPayloadTimeoutExpired { $0.connectionHandle.rawValue = 3 }.h4, Desk.data(3), Desk.ended(3).h4,
    ]
    for packet in aboutThree { desk.controller(packet) }
    #expect(desk.heard(0) == aboutThree && desk.heard(1).isEmpty)
    // Events of sets are routed by set.
    desk.controller(LEScanRequestReceived { $0.advertisingHandle = 1 })
    #expect(desk.heard(1) == [LEScanRequestReceived().h4] && desk.heard(0).isEmpty)
    let over = LEAdvertisingSetTerminated {
      $0.status = .limitReached
      $0.advertisingHandle = 1
    }
    desk.controller(over)
    #expect(desk.heard(1).count == 1 && desk.heard(0).isEmpty)
  }

  @Test("Completed packets are split by connection")
  func completions() {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.connect(4, by: 1)
    for (seat, handle) in [(0, 3), (1, 4), (1, 4)] as [(Int, UInt16)] {
      desk.host(seat, Desk.data(handle, fromHost: true))
    }
    #expect(desk.sent().count == 3)
    let all = [(3, 1), (4, 2), (77, 1)].map {
      CompletedPackets(ConnectionHandle(rawValue: UInt16($0.0)), count: UInt16($0.1))
    }
    desk.controller(HCINumberOfCompletedPackets { $0.completed = all })
    #expect(desk.heard(0) == [HCINumberOfCompletedPackets { $0.completed = [all[0]] }.h4])
    #expect(desk.heard(1) == [HCINumberOfCompletedPackets { $0.completed = [all[1]] }.h4])
  }

  @Test("A host never has more packets in the controller than its share, and none over another host's connection")
  func shares() {
    let desk = Desk.ready(2, buffers: 5)
    desk.connect(3, by: 0)
    desk.connect(4, by: 1)
    for _ in 0..<6 { desk.host(0, Desk.data(3, fromHost: true)) }
    desk.host(0, Desk.data(4, fromHost: true))
    #expect(desk.sent() == Array(repeating: Desk.data(3, fromHost: true), count: 3))
    desk.controller(
      HCINumberOfCompletedPackets { $0.completed = [CompletedPackets(ConnectionHandle(rawValue: 3), count: 2)] })
    #expect(desk.sent().count == 2)
    desk.controller(Desk.ended(3))
    #expect(desk.sent().isEmpty)
    // The other host's buffers are free all the time.
    for _ in 0..<3 { desk.host(1, Desk.data(4, fromHost: true)) }
    #expect(desk.sent().count == 2)
  }

  @Test("A reused handle means that its connection has ended")
  func handleGivenAgain() throws {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.controller(Desk.connected(3))
    #expect(
      desk.heard(0) == [
        HCIDisconnectionComplete {
          $0.connectionHandle.rawValue = 3
          $0.reason = .unspecifiedError
        }.h4
      ])
    desk.controller(Desk.terminated(1, by: 3))
    #expect(desk.heard(1).count == 2)
  }

  @Test("Data of an unknown connection ends it")
  func stranger() {
    let desk = Desk.ready()
    desk.controller(Desk.data(6))
    desk.controller(Desk.data(6))
    #expect(desk.sent().opcodes == [.disconnect])
    desk.controller(HCICommandStatus(.disconnect, .unknownConnectionIdentifier))
    desk.controller(Desk.data(6))
    #expect(desk.sent().opcodes == [.disconnect])
    #expect(desk.heard(0).isEmpty && desk.heard(1).isEmpty)
  }

  @Test("A failed connection is reported to its host, once its set is named")
  func failed() {
    let desk = Desk.ready()
    desk.controller(Desk.terminated(1, by: 3))
    _ = desk.heard(1)
    var failure = Desk.connected(3)
    failure.status = .connectionFailedToBeEstablished
    desk.controller(failure)
    #expect(desk.heard(1) == [failure.h4] && desk.heard(0).isEmpty)
  }
}
