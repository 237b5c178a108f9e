import AccessoryProfile
import BLECore
import Glibc
import Testing
import Transport
import Understudy

/// The accessory of these tests.
func testProfile() throws -> Profile {
  try Profile.load(
    text: """
      understudy: 1
      name: Test
      about: For tests.
      advertising:
        - { id: main, kind: legacy, data: { flags: [general], name: complete } }
      services:
        - uuid: FFF0
          characteristics:
            - { id: level, uuid: FFF1, format: u8, properties: [read, notify], value: 50, notify: on-change }
            - { id: text, uuid: FFF2, format: utf8, properties: [read, write], value: hello }
            - { id: raw, uuid: FFF3, properties: [indicate] }
            - id: button
              uuid: FFF4
              format: u8
              properties: [write]
              on-write: [ { when: hex:01, do: log }, { otherwise: { error: 0x80 } } ]
      """)
}

/// Runs `body` with a loop on its own thread, and ends the loop.
func withLoop<Result: Sendable>(_ body: (PollLoop) async throws -> Result) async throws -> Result {
  let loop = try PollLoop(name: "test")
  try loop.start()
  defer { loop.stopAndWait() }
  return try await body(loop)
}

extension PollLoop {
  /// Waits until the given time has passed on the loop, which may be virtual.
  func pass(_ duration: Duration) async {
    var timer: TimerID?
    await withCheckedContinuation { continuation in
      let added = addTimer { continuation.resume() }
      setTimer(added, now() + duration)
      timer = added
    }
    if let timer { removeTimer(timer) }
  }
}

/// Returns a path in the directory for temporary files that no other test uses.
func temporaryPath(_ name: String) -> String { "/tmp/understudy-accessory-\(getpid())-\(name)" }

extension AsyncStream<AccessoryEvent> {
  /// Waits until the accessory is on the air; throws if it fails first.
  func ready() async throws -> ReadyReport {
    for await event in self {
      switch event.checked().kind {
      case .ready(let report): return report
      case .failed(let failure): throw failure
      default: break
      }
    }
    throw CancellationError()
  }

  /// Waits for an event with that name in JSON.
  func named(_ name: String) async throws -> AccessoryEvent {
    for await event in self where event.checked().json["event"] == .string(name) { return event }
    throw CancellationError()
  }

  /// Waits until the accessory reports where it waits for its controller.
  func place() async throws -> String {
    for await event in self {
      if case .awaitingController(let place) = event.checked().kind { return place }
    }
    throw CancellationError()
  }
}

extension AccessoryEnd {
  /// The reason for the failure; nil if the accessory was stopped.
  var failure: AccessoryFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

extension ProfileValue {
  /// A field of an object.
  subscript(field: String) -> ProfileValue? {
    guard case .object(let fields) = self else { return nil }
    return fields[field]
  }

  /// The elements of an array.
  var elements: [ProfileValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  /// The names of an object's fields, in order.
  var fieldNames: [String] {
    guard case .object(let fields) = self else { return [] }
    return fields.keys.sorted()
  }
}
