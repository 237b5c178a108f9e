import BLEATT
import BLECore
import BLEGATT

/// A client whose server says whatever the input says.
struct ClientBench {
  private var client: GATTClient
  private var now = Instant.zero
  /// The operations that have begun and have not ended.
  private var open: Set<OperationID> = []
  /// Whether a request waits for its response.
  private var hasRequest = false
  /// The requests and the responses since the start.
  private var requests = 0
  private var received = 0
  private var begun = 0

  init(mtu: Int) { client = GATTClient(mtu: mtu) }

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd {
      try step(&input)
      try check()
    }
    var out = GATTClientOutput()
    client.close(into: &out)
    try collect(out)
    try require(open.isEmpty && client.pendingCount == 0, "operations never end: \(open)")
    try require(client.nextDeadline == nil, "a deadline after the end")
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(6) {
    case 0: try perform(&input)
    case 1, 2: try receive(input.run())
    case 3:
      // A list of entries with the right length.
      let opcode = input.octet()
      let size = UInt8(2 + input.below(22))
      try receive([opcode, size] + input.octets(Int(size) * input.below(4)))
    case 4:
      now += .milliseconds(Int(input.octet()) * 200)
      var out = GATTClientOutput()
      client.advance(to: now, into: &out)
      try collect(out)
    default:
      if input.flag() { client.setMTU(23 + Int(input.octet())) } else { client.forgetDatabase() }
    }
  }

  private mutating func perform(_ input: inout FuzzInput) throws(Violation) {
    let operation = input.operation()
    var out = GATTClientOutput()
    let id = client.perform(operation, at: now, into: &out)
    begun += 1
    try require(open.insert(id).inserted, "two operations have the same identifier")
    try collect(out)
  }

  private mutating func receive(_ pdu: [UInt8]) throws(Violation) {
    if let first = pdu.first {
      switch ATTOpcode(rawValue: first).kind {
      case .response: (hasRequest, received) = (false, received + 1)
      default: break
      }
    }
    let wasWaiting = client.nextDeadline != nil
    var out = GATTClientOutput()
    client.receive(pdu.span, at: now, into: &out)
    if wasWaiting, out.pduCount == 0, client.nextDeadline != nil { hasRequest = true }
    try collect(out)
  }

  private mutating func collect(_ out: borrowing GATTClientOutput) throws(Violation) {
    var pdus: [[UInt8]] = []
    out.forEachPDU { pdu, _ in pdus.append(pdu.withUnsafeBytes { Array($0) }) }
    for pdu in pdus {
      try require(
        !pdu.isEmpty && pdu.count <= max(client.mtu, 23), "a PDU of \(pdu.count) octets with an MTU of \(client.mtu)")
      guard ATTOpcode(rawValue: pdu[0]).kind == .request else { continue }
      try require(!hasRequest, "a request is sent before the previous one is answered")
      (hasRequest, requests) = (true, requests + 1)
    }
    for event in out.events {
      guard case .ended(let id, let outcome) = event else { continue }
      try require(open.remove(id) != nil, "an operation ends that is not open")
      if case .success(.value(let value)) = outcome {
        try require(value.count <= 512 * 3, "a value of \(value.count) octets")
      }
    }
  }

  private func check() throws(Violation) {
    try require(open.count == client.pendingCount, "\(open.count) operations are open, \(client.pendingCount) pending")
    // Each answer, and each operation, leads to one request at most.
    try require(requests <= begun + received, "\(requests) requests for \(received) answers")
    let services = client.database.services
    for (service, next) in zip(services, services.dropFirst()) {
      try require(service.handles.upperBound < next.handles.lowerBound, "services overlap")
    }
    for service in services {
      for characteristic in service.characteristics {
        try require(service.handles.contains(characteristic.declaration), "a characteristic outside its service")
        try require(characteristic.end <= service.handles.upperBound, "descriptors outside their service")
      }
    }
  }
}
