import AccessoryProfile
import ControlAPI
import Dispatch
import FoundationEssentials
import Synchronization
import Transport
import Understudy

/// The routes of the control API, of an accessory on a virtual radio. Any method, path, header and body gets
/// a documented answer, a GET changes nothing, and the accessory still answers the next request.
package enum HTTPTarget: FuzzTarget {
  package static let name = "http"
  package static let maximumLength = 2048

  /// The statuses with which the control API answers.
  private static let statuses: Set<Int> = [200, 201, 202, 400, 401, 403, 404, 405, 408, 409, 413, 502, 503, 504]

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    let requests = FuzzRequest.all(of: input.rest())
    let outcome = Mutex<Violation?>(nil)
    let done = DispatchSemaphore(value: 0)
    // It has its own threads: whoever runs a target blocks one of the threads on which tasks usually run.
    Task.detached(executorPreference: executor) {
      do throws(Violation) { try await serve(requests) } catch { outcome.withLock { $0 = error } }
      done.signal()
    }
    done.wait()
    if let violation = outcome.withLock({ $0 }) { throw violation }
  }

  private static let executor = ThreadExecutor()
  private static let loop = Result { () throws(TransportError) in
    let loop = try PollLoop(name: "fuzz")
    try loop.start()
    return loop
  }

  private static func serve(_ requests: [FuzzRequest]) async throws(Violation) {
    guard let loop = try? loop.get(), let profile = try? Profile.load(text: profile),
      let accessory = try? Accessory(profile, options: AccessoryOptions(), loop: loop)
    else { throw Violation(description: "the accessory cannot be made") }
    guard (try? await accessory.start()) != nil else { throw Violation(description: "the accessory does not start") }
    let routes = ControlRoutes(accessory: accessory)
    var violation: Violation?
    do throws(Violation) {
      for request in requests { try await exchange(request, routes, accessory) }
      let last = await routes.answer("GET", "/v1/accessory", headers: [], body: [])
      try require(last?.status == 200, "the accessory no longer answers afterwards: \(last?.status ?? 0)")
    } catch {
      violation = error
    }
    await accessory.stop()
    _ = await accessory.end()
    if let violation { throw violation }
  }

  private static func exchange(
    _ request: FuzzRequest, _ routes: ControlRoutes, _ accessory: Accessory
  ) async throws(Violation) {
    let isPure = request.method == "GET"
    let before = isPure ? await database(accessory) : .null
    let answer = await routes.answer(request.method, request.path, headers: request.headers, body: request.body)
    guard let answer else { return }
    if isPure { try require(await database(accessory) == before, "\(request.path) changed something") }
    try require(statuses.contains(answer.status), "\(request.method) \(request.path) is answered with \(answer.status)")
    if ControlRoutes.isEndless(answer.contentType) {
      return try require(answer.status == 200 && request.method == "GET", "\(request.method) is answered with a stream")
    }
    // The answer is a file of the dashboard.
    if answer.contentType.hasPrefix("text/") {
      let isRead = request.method == "GET" || request.method == "HEAD"
      return try require(answer.status == 200 && isRead, "\(request.method) is answered with a file")
    }
    try require(
      answer.contentType.hasPrefix("application/json"), "the content type of the answer is \(answer.contentType)")
    guard let json = try? JSONDecoder().decode(ProfileValue.self, from: Data(answer.body)),
      case .object(let fields) = json
    else { throw Violation(description: "the answer to \(request.path) is not a JSON object") }
    guard answer.status >= 400 else {
      return try require(fields["error"] == nil, "an answer with status \(answer.status) contains an error")
    }
    guard case .string(let message) = fields["error"], !message.isEmpty else {
      throw Violation(description: "an answer with status \(answer.status) has no message")
    }
    try require(
      fields["code"] != nil && fields["hint"] != nil, "an answer with status \(answer.status) has no code or no hint")
    try require((answer.status == 405) == (answer.allow != nil), "405 and the Allow header do not come together")
  }

  /// Returns what changes only on request: the services with their stored values, and everything that is published.
  private static func database(_ accessory: Accessory) async -> ProfileValue {
    guard case .object(let fields) = await accessory.stateReport() else { return .null }
    var values: [String: ProfileValue] = ["services": fields["services"] ?? .null]
    for name in ["level", "count", "wide"] { values[name] = (try? await accessory.value(of: name))?.value }
    return .object(values)
  }
}

/// An executor that runs tasks on its own thread.
private final class ThreadExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "fuzz")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
