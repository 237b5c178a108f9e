import BLECore
import BLEGAP
import BLEHCI
import Testing

@testable import BLELink

@Suite("The controller's interface decides on restarts and losses")
struct ControllerInterfaceTests {
  private static let first = ConnectionHandle(rawValue: 0)
  private static let second = ConnectionHandle(rawValue: 1)

  // MARK: - Links

  @Test("A link without a PHY, or that the controller does not know, is gone")
  func knowledge() {
    let answers: [(any HCICommand, [UInt8], Bool)] = [
      (LEReadPHY { $0.connectionHandle = Self.first }, [0x00, 0x00, 0x00, 1, 2], true),
      (LEReadPHY { $0.connectionHandle = Self.first }, [0x00, 0x00, 0x00, 0, 0], false),
      (LEReadPHY { $0.connectionHandle = Self.first }, [0x02], false),
      (HCIReadRSSI { $0.connectionHandle = Self.first }, [0x00, 0x00, 0x00, 0], true),
      (HCIReadRSSI { $0.connectionHandle = Self.first }, [0x02, 0x00, 0x00, 0], false),
    ]
    for (question, parameters, isKnown) in answers {
      let knows = ControllerInterface.knowsLink(parameters.span, after: question)
      #expect(knows == isKnown, "\(type(of: question)) \(parameters)")
    }
  }

  @Test("If the controller has lost its only link, it has restarted")
  func onlyLink() {
    var hci = Self.running()
    let action = hci.linkForgotten(Self.first, among: [SupervisedLink(handle: Self.first, lastHeard: .zero)], at: .zero)
    #expect(action?.restartReason == "it no longer knows a connection")
  }

  @Test("If the controller has lost one of two links, the other is asked about, and decides", arguments: [true, false])
  func oneOfTwo(knowsOther: Bool) throws {
    var hci = Self.running()
    let links = [Self.first, Self.second].map { SupervisedLink(handle: $0, lastHeard: .zero) }
    let now = Instant.zero + .seconds(1)
    #expect(hci.linkForgotten(Self.first, among: links, at: now) == nil)
    #expect(hci.commands.waiting.map(\.purpose) == [.linkQuestion(Self.second)])
    Self.answerNext(&hci)
    if knowsOther {
      #expect(hci.checkForgottenLinks(among: links)?.endedLinks == [Self.first])
    } else {
      let action = hci.linkForgotten(Self.second, among: links, at: now)
      #expect(action?.restartReason == "it no longer knows a connection")
    }
  }

  @Test("A link that the controller did not report is ended once; without others the controller is initialized again")
  func unknownLink() {
    var hci = Self.running()
    hci.endUnknownLink(Self.second)
    hci.endUnknownLink(Self.second)
    #expect(hci.commands.waiting.map(\.purpose) == [.unknownLink(Self.second)])
    #expect(hci.unknownLinkAnswered(.unknownConnectionIdentifier, of: Self.second, hasLinks: false) == nil)
    #expect(hci.unknownLinkAnswered(.success, of: Self.second, hasLinks: true) == nil)
    #expect(hci.unknownLinkAnswered(.success, of: Self.second, hasLinks: false)?.restartReason != nil)
  }

  // MARK: - Silence

  @Test("A silent controller with a link gets a last chance, without a link none")
  func silence() throws {
    var hci = Self.running()
    let entry = CommandFlow<CommandPurpose>.Entry(
      HCIReadRSSI { $0.connectionHandle = Self.second }, for: .role(.peerLists))
    let links = [
      SupervisedLink(handle: Self.first, lastHeard: .zero),
      SupervisedLink(handle: Self.second, lastHeard: .zero + .seconds(1)),
    ]
    let chance = hci.fellSilent(.noAnswer(entry), links: links)
    #expect(chance?.isRepetitionOfCommand == true)
    // The question is about the link that the controller last reported something about.
    #expect(hci.commands.waiting.map(\.purpose) == [.linkQuestion(Self.second)])
    #expect(hci.supervisor.lostCommand == .readRSSI)
    #expect(hci.fellSilent(.noAnswer(entry), links: links)?.restartReason != nil)
    var alone = Self.running()
    #expect(alone.fellSilent(.noAnswer(entry), links: [])?.restartReason != nil)
  }

  // MARK: - Incidents

  @Test("What follows from a fault on the line is one report, after the next answer")
  func incident() {
    var hci = Self.running()
    #expect(hci.note(.skippedOctets(3), links: []) == nil)
    #expect(hci.commands.waiting.count == 1)
    #expect(hci.note(.skippedOctets(4), links: []) == nil)
    #expect(hci.note(.malformedEvent(code: 0x3E), links: []) == nil)
    #expect(hci.lineAnswered() == .skippedOctets(7))
    #expect(hci.lineAnswered() == nil)
  }

  @Test("Without supervision, every fault is reported at once")
  func unsupervised() {
    var hci = Self.running()
    hci.supervisor.interval = nil
    #expect(hci.note(.skippedOctets(3), links: []) == .skippedOctets(3))
    #expect(hci.note(.skippedOctets(4), links: []) == .skippedOctets(4))
    #expect(hci.commands.waiting.isEmpty)
  }

  @Test("Restarts in a row are one report, become slower, and end without hope")
  func restarts() {
    var hci = Self.running()
    #expect(hci.note(.bogusCompletion(Self.first), links: []) == nil)
    let now = Instant.zero + .seconds(5)
    let outcomes = (1...11).map { _ in
      let outcome = hci.noteRestart("it was odd", at: now)
      defer { hci.startOver() }
      return (outcome.report, outcome.isHopeful, hci.supervisor.bringUpDue)
    }
    #expect(outcomes[0].0 == .controllerRestarted("it was odd (after more completed packets than were outstanding)"))
    #expect(outcomes.dropFirst().allSatisfy { $0.0 == nil })
    #expect(outcomes.map(\.1) == Array(repeating: true, count: 10) + [false])
    #expect(outcomes.prefix(3).allSatisfy { $0.2 == nil })
    #expect(outcomes[3].2 == now + .seconds(1))
  }

  // MARK: - Settings

  @Test("A suggested data length that is lost means a restart, but only once: some controllers never return it")
  func settings() {
    var hci = Self.running()
    hci.profile.suggestedDataLength = 251
    let lost: [UInt8] = [0, 27, 0, 0x48, 0x01]
    #expect(hci.settingQuestionAnswered(lost.span, hasLinks: true) == nil)
    #expect(hci.settingQuestionAnswered(lost.span, hasLinks: false)?.restartReason == "it has lost its settings")
    #expect(hci.settingQuestionAnswered(lost.span, hasLinks: false) == nil)
    #expect(hci.supervisor.settingAnswers == .worthless)
  }

  @Test("A refused setting starts everything over, unless there is a link")
  func complaint() {
    var hci = Self.running()
    let withLink = hci.settingRefused("it refused data", hasLinks: true)
    #expect(withLink?.isRepetitionOfSettings == true)
    #expect(hci.settingRefused("it refused data", hasLinks: false)?.restartReason == "it refused data")
    #expect(hci.settingRefused("it refused data", hasLinks: false) == nil)
  }

  // MARK: - Help

  /// A supervised interface whose controller is up and knows every command.
  private static func running() -> ControllerInterface {
    var hci = ControllerInterface(BringUpPlan(leEvents: .connectionComplete, randomAddress: nil))
    hci.supervisor.interval = .seconds(1)
    while !hci.commands.isUp { answerNext(&hci) }
    hci.begin(at: .zero)
    return hci
  }

  /// Sends the next command, which the controller carries out.
  private static func answerNext(_ hci: inout ControllerInterface) {
    var octets = OctetBuffer()
    hci.commands.send(into: &octets, at: .zero)
    guard let command = hci.commands.current?.command else { return }
    let parameters: [UInt8] =
      switch command {
      case is HCIReadLocalSupportedCommands:
        SupportedCommands([.leReadPHY, .leReadSuggestedDefaultDataLength]).octets
      case is LEReadLocalSupportedFeatures: [UInt8](repeating: 0, count: 8)
      case is LEReadBufferSize: [251, 0, 4]
      default: []
      }
    let complete = HCICommandComplete {
      $0.opcode = type(of: command).opcode
      $0.returnParameters = [0] + parameters
    }
    let packet = Array(complete.h4.dropFirst())
    guard let event = try? EventPacket(packet.span) else { return }
    _ = hci.commands.receive(event, in: packet.span, at: .zero, into: &octets)
  }
}

extension ControllerAction {
  fileprivate var restartReason: String? { if case .restart(let reason) = self { reason } else { nil } }
  fileprivate var isRepetitionOfCommand: Bool { if case .repeatCommand = self { true } else { false } }
  fileprivate var isRepetitionOfSettings: Bool { if case .repeatSettings = self { true } else { false } }
  fileprivate var endedLinks: [ConnectionHandle]? { if case .endLinks(let handles) = self { handles } else { nil } }
}
