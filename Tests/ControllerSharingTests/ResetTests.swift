import BLECore
import BLEHCI
import ControllerSharing
import Testing

@Suite("Resets of hosts that share a controller")
struct ResetTests {
  private static let done = HCICommandComplete(HCIReset.self, StatusReturn()).h4
  private static let fault = HCIHardwareError().h4

  @Test("The first reset resets the controller, for all hosts that wait for it")
  func first() {
    let desk = Desk()
    desk.host(0, HCIReset())
    desk.host(1, HCIReset())
    #expect(desk.sent() == [HCIReset().h4])
    desk.controller(Self.done)
    #expect(desk.heard(0) == [Self.done] && desk.heard(1) == [Self.done])
    #expect(desk.sent().isEmpty)
  }

  @Test("A later reset during the bring-up of another host affects nothing")
  func second() {
    let desk = Desk()
    desk.host(0, HCIReset())
    desk.succeedAll()
    desk.host(0, LERand())
    desk.host(1, HCIReset())
    #expect(desk.sent().opcodes == [.leRand])
    #expect(desk.heard(1).isEmpty)
    desk.controller(HCICommandStatus(.leRand, .unknownHCICommand))
    #expect(desk.heard(1) == [Self.done])
  }

  @Test("A host that restarts loses its own state, and the others lose nothing")
  func ownThingsOnly() {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.connect(4, by: 1)
    desk.host(0, LERand())
    desk.host(0, HCIReset())
    #expect(desk.succeed(Array(repeating: 0, count: 8)).opcodes == [.leRand])
    #expect(desk.heard(0).isEmpty)
    let chores = desk.succeedAll()
    #expect(chores.opcodes == [.leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .disconnect])
    #expect(chores[1] == LERemoveAdvertisingSet().h4)
    #expect(desk.heard(0) == [Self.done])
    desk.controller(Desk.data(3))
    desk.controller(Desk.ended(3))
    #expect(desk.heard(0).isEmpty && desk.heard(1).isEmpty)
    desk.controller(Desk.data(4))
    #expect(desk.heard(1) == [Desk.data(4)])
    // It can have its set again.
    #expect(desk.advertise(0).opcodes == [.leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingEnable])
  }

  @Test("Until the controller has ended a connection, its packets fill the buffers of its host")
  func buffersOfTheLeft() {
    let desk = Desk.ready(2, buffers: 4)
    desk.connect(3, by: 0)
    for _ in 0..<2 { desk.host(0, Desk.data(3, fromHost: true)) }
    desk.host(0, HCIReset())
    desk.succeedAll()
    _ = desk.heard(0)
    desk.advertise(0)
    desk.connect(5, by: 0)
    desk.host(0, Desk.data(5, fromHost: true))
    #expect(desk.sent().isEmpty)
    desk.controller(Desk.ended(3))
    #expect(desk.sent() == [Desk.data(5, fromHost: true)])
  }

  @Test("A connection that is made while its host restarts is ended")
  func connectedMeanwhile() {
    let desk = Desk.ready()
    desk.host(0, HCIReset())
    desk.controller(Desk.connected(3))
    desk.controller(Desk.terminated(0, by: 3))
    #expect(
      desk.succeedAll().opcodes == [.leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .disconnect])
    #expect(desk.heard(0) == [Self.done] && desk.heard(1).isEmpty)
  }

  @Test("A host that leaves removes its own state")
  func leaves() {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.leave(0)
    #expect(
      desk.succeedAll().opcodes == [.leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .disconnect])
    desk.controller(Desk.data(3))
    desk.controller(HCIHardwareError())
    #expect(desk.heard(0).isEmpty && desk.heard(1) == [Self.fault])
  }

  // MARK: Faults

  @Test("A hardware error affects all, and one reset of the controller brings all up again")
  func hardwareError() {
    let desk = Desk.ready()
    desk.connect(3, by: 1)
    let error = HCIHardwareError { $0.hardwareCode = 7 }.h4
    desk.controller(error)
    #expect(desk.heard(0) == [error])
    desk.host(0, HCIReset())
    #expect(desk.heard(1) == [error])
    desk.host(1, HCIReset())
    #expect(desk.sent() == [HCIReset().h4])
    desk.controller(Self.done)
    #expect(desk.heard(0) == [Self.done] && desk.heard(1) == [Self.done])
    #expect(desk.advertise(1).opcodes == [.leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingEnable])
  }

  @Test("A host that resets after the others is answered at once")
  func lateReset() {
    let desk = Desk.ready()
    desk.controller(HCIHardwareError())
    desk.host(0, HCIReset())
    desk.succeed()
    desk.advertise(0)
    desk.host(1, HCIReset())
    #expect(desk.sent().isEmpty)
    #expect(desk.heard(1) == [Self.fault, Self.done])
  }

  @Test("An announced restart of the controller, and a failed assertion, affect all")
  func announced() {
    for event in [HCICommandComplete().h4, ZephyrAssertion(file: "ull.c", line: 7).event.h4] {
      let desk = Desk.ready()
      desk.controller(event)
      #expect(desk.heard(0) == [event] && desk.heard(1) == [event])
      desk.host(1, HCIReset())
      #expect(desk.sent() == [HCIReset().h4])
      #expect(desk.heard(0) == [Self.fault])
    }
  }

  @Test("A controller that still has a connection has not restarted")
  func notRestarted() {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.controller(HCICommandComplete())
    desk.host(0, LEReadPHY { $0.connectionHandle.rawValue = 3 })
    desk.succeed([3, 0, 1, 1])
    desk.host(1, HCIReset())
    #expect(desk.sent().opcodes == [.leSetExtendedAdvertisingEnable])
  }

  @Test("A controller that has lost a set has restarted")
  func forgottenSet() {
    let desk = Desk.ready()
    desk.host(0, HCIReset())
    #expect(desk.sent().opcodes == [.leSetExtendedAdvertisingEnable])
    desk.controller(HCICommandStatus(.leSetExtendedAdvertisingEnable, .unknownAdvertisingIdentifier))
    #expect(desk.sent() == [HCIReset().h4])
    #expect(desk.heard(1) == [Self.fault])
    desk.controller(Self.done)
    #expect(desk.heard(0) == [Self.done])
  }

  @Test("A host whose command is not answered detects it by itself, and the others are informed")
  func silence() {
    let desk = Desk.ready()
    desk.host(0, LERand())
    _ = desk.sent()
    desk.advance(.seconds(2))
    #expect(desk.heard(0).isEmpty && desk.heard(1) == [Self.fault])
    desk.host(1, HCIReset())
    desk.host(0, HCIReset())
    #expect(desk.sent() == [HCIReset().h4])
    // A second reset is answered, and both are one.
    desk.advance(.seconds(2))
    for seat in 0...1 { desk.host(seat, Array(repeating: 0, count: 258) + HCIReset().h4) }
    let sent = desk.sentOctets()
    #expect(sent.dropLast(4).allSatisfy { $0 == 0 } && sent.count == 262 && sent.suffix(4).elementsEqual(HCIReset().h4))
    desk.controller(Self.done)
    #expect(desk.heard(0) == [Self.done] && desk.heard(1) == [Self.done])
  }

  @Test("If the unanswered command belongs to a host that has left, it is still resolved")
  func silentChores() {
    let desk = Desk.ready()
    desk.host(0, HCIReset())
    _ = desk.sent()
    desk.advance(.seconds(2))
    #expect(desk.sent() == [HCIReset().h4])
    #expect(desk.heard(1) == [Self.fault])
    desk.controller(Self.done)
    #expect(desk.heard(0) == [Self.done])
  }

  @Test("A new line starts from the beginning")
  func otherLine() {
    let desk = Desk.ready()
    desk.connect(3, by: 0)
    desk.shared.loseController()
    #expect(desk.shared.nextDeadline == nil && desk.shared.seatsWithOutput.isEmpty)
    desk.host(1, HCIReset())
    #expect(desk.sent() == [HCIReset().h4])
  }
}
