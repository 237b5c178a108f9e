import BLECore
import BLEL2CAP
import Testing

/// The octets of each packet for channels, with the fields in the order of Core 5.4 Vol 3 Part A 4.6, 4.7, 4.22...4.28.
@Suite("Packets for channels")
struct ChannelPacketTests {
  private static let ids = [ChannelID(rawValue: 0x0040), ChannelID(rawValue: 0x0041)]

  /// Decodes, encodes again, and tries every other length up to two more octets.
  private func check<Packet: SignallingPacket & Hashable>(
    _ packet: Packet, code: UInt8, octets: String, step: Int? = nil, minimum: Int = 0
  ) throws {
    #expect(Packet.code.rawValue == code)
    let data = try #require([UInt8](hexadecimal: octets))
    #expect(packet.encoded == data)
    #expect(try Packet(decoding: data) == packet)
    for length in 0..<(data.count + 3) where length != data.count {
      let other = Array((data + [1, 2]).prefix(length))
      let isAllowed = step.map { length >= minimum && (length - minimum).isMultiple(of: $0) } ?? false
      #expect(((try? Packet(decoding: other)) != nil) == isAllowed, "\(length) octets")
    }
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: 3, into: &buffer)
    #expect(buffer.copy() == [code, 3, UInt8(data.count), 0] + data)
  }

  @Test("Disconnection Request and Response")
  func disconnection() throws {
    try check(DisconnectionRequest(destination: Self.ids[0], source: Self.ids[1]), code: 0x06, octets: "40004100")
    try check(DisconnectionResponse(destination: Self.ids[0], source: Self.ids[1]), code: 0x07, octets: "40004100")
  }

  @Test("LE Credit Based Connection Request and Response")
  func leConnection() throws {
    var request = LECreditBasedConnectionRequest()
    (request.psm, request.source) = (.objectTransfer, Self.ids[0])
    (request.mtu, request.mps, request.initialCredits) = (0x0102, 0x0304, 0x0506)
    try check(request, code: 0x14, octets: "2500 4000 0201 0403 0605")
    var response = LECreditBasedConnectionResponse()
    (response.destination, response.result) = (Self.ids[0], .unacceptableParameters)
    (response.mtu, response.mps, response.initialCredits) = (0x0102, 0x0304, 0x0506)
    try check(response, code: 0x15, octets: "4000 0201 0403 0605 0b00")
  }

  @Test("Flow Control Credit Indication")
  func credit() throws {
    try check(FlowControlCredit(source: Self.ids[0], credits: 0x0102), code: 0x16, octets: "40000201")
  }

  @Test("Credit Based Connection Request and Response")
  func connection() throws {
    var request = CreditBasedConnectionRequest()
    (request.psm, request.sources) = (.enhancedAttributeProtocol, Self.ids)
    (request.mtu, request.mps, request.initialCredits) = (0x0102, 0x0304, 0x0506)
    try check(request, code: 0x17, octets: "2700 0201 0403 0605 4000 4100", step: 2, minimum: 8)
    var response = CreditBasedConnectionResponse()
    (response.destinations, response.result) = (Self.ids, .noResources)
    (response.mtu, response.mps, response.initialCredits) = (0x0102, 0x0304, 0x0506)
    try check(response, code: 0x18, octets: "0201 0403 0605 0400 4000 4100", step: 2, minimum: 8)
  }

  @Test("Credit Based Reconfigure Request and Response")
  func reconfigure() throws {
    var request = CreditBasedReconfigureRequest()
    (request.mtu, request.mps, request.destinations) = (0x0102, 0x0304, Self.ids)
    try check(request, code: 0x19, octets: "0201 0403 4000 4100", step: 2, minimum: 4)
    var response = CreditBasedReconfigureResponse()
    response.result = .mpsReducedOnSeveral
    try check(response, code: 0x1A, octets: "0200")
  }

  @Test("The results have the specification's numbers")
  func results() {
    let results: [CreditBasedResult] = [
      .success, .psmNotSupported, .noResources, .insufficientAuthentication, .insufficientAuthorization,
      .encryptionKeySizeTooShort, .insufficientEncryption, .invalidSourceCID, .sourceCIDAlreadyAllocated,
      .unacceptableParameters, .invalidParameters, .pending, .authenticationPending, .authorizationPending,
    ]
    #expect(results.map(\.rawValue) == [0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    #expect(results.filter(\.isPending) == [.pending, .authenticationPending, .authorizationPending])
    let reconfigure: [ReconfigureResult] = [
      .success, .mtuReduced, .mpsReducedOnSeveral, .invalidDestinationCID, .unacceptableParameters,
    ]
    #expect(reconfigure.map(\.rawValue) == [0, 1, 2, 3, 4])
  }

  @Test("PSMs and dynamic CIDs of LE", arguments: [(0, false), (1, true), (0x7F, true), (0xFF, true), (0x100, false)])
  func psms(psm: UInt16, isValid: Bool) {
    #expect(SPSM(rawValue: psm).isValid == isValid)
    #expect(ChannelID(rawValue: psm).isDynamic == (psm == 0x7F))
  }
}
