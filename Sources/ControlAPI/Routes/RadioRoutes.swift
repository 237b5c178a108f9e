import AccessoryProfile
import Hummingbird
import HTTPTypes
import Understudy
import VirtualRadio

extension RouteTable {
  private static let loss = Shape.either(
    [.number(0...1), .text(atLeast: 1)],
    words: "a fraction such as \"20%\" or 0.2, or a pattern of L for lost and . for received, at most 1000 long")
  private static let pathFields: [Shape.Field] = [
    Shape.Field.optional("loss", loss, "which packets are lost: a fraction, or a pattern such as \"LL...\""),
    Shape.Field.optional("ber", .number(0...1), "the bit error rate"),
    Shape.Field.optional("rssi", .integer(-127...20), "in dBm"), Shape.Field.optional("reachable", .truth),
  ]
  private static let controllerFields: [Shape.Field] = [
    Shape.Field.optional(
      "latency_ms", Shape.number(0...60_000).orNull, "the delay before every response of the controller"),
    Shape.Field.optional("hung", Shape.truth.orNull),
    Shape.Field.optional("buffers", Shape.integer(0...255).orNull, "ACL packets"),
  ]
  private static let pathState: [Shape.Field] = [
    Shape.Field.needed("loss", loss), Shape.Field.needed("ber", .anyNumber),
    Shape.Field.needed("rssi", .integer(-127...20)),
    Shape.Field.needed("reachable", .truth),
  ]
  private static let ends: [Shape.Field] = [Shape.Field.needed("from", .text), Shape.Field.needed("to", .text)]
  private static let ordinary = Shape.object(pathState, isOpen: false)
  private static let path = Shape.object(ends + pathState, isOpen: false)
  private static let controller = Shape.object(
    .needed("latency_ms", .anyNumber), .needed("hung", .truth), .needed("buffers", Shape.integer(0...255).orNull))
  private static let state = Shape.object(
    .needed("joining", .list(.text)),
    .needed(
      "controllers",
      .list(
        .object(
          .needed("name", .text), .needed("place", .text), .needed("preset", .text), .needed("host", .truth),
          .needed("impairment", controller)))),
    .needed(
      "time",
      .object(
        .needed("elapsed_ms", .anyNumber), .needed("speed", .either(.words(["real", "fast"]), .anyNumber)),
        .optional("settle_ms", .anyNumber))),
    .needed("default", ordinary), .needed("paths", .list(path)))

  static let radio: [Route] = [
    Route(
      .get, "radio", of: .program,
      "the places where hosts can join, the controllers and their impairments, the paths, the time",
      .json(state), refusals: [.noRadio]
    ) { call async throws(Refusal) in .json(await (try await call.service.subject.radio()).stateReport()) },
    Route(
      .post, "radio/advance", of: .program,
      "advances time, from deadline to deadline, for the radio and all accessories on it, and responds when "
        + "that time is reached; hosts that have joined get 2 ms between two jumps",
      body: .fields(.needed("for", .duration, "how far, up to 7 d")),
      .json(.object(.needed("advanced_ms", .anyNumber), .needed("elapsed_ms", .anyNumber))),
      refusals: [.noRadio, .realTime, .ending]
    ) { call async throws(Refusal) in try await advance(call) },
    Route(
      .put, "radio/default", of: .program,
      "sets the default impairment, for paths that have none of their own. Fields that are left out mean no "
        + "impairment",
      body: Route.Body(shape: .object(pathFields, isOpen: false)), .json(ordinary), refusals: [.noRadio]
    ) { call async throws(Refusal) in try await setDefault(try impairment(call), call) },
    Route(
      .delete, "radio/default", of: .program, "clears the default impairment", .json(ordinary), refusals: [.noRadio]
    ) { call async throws(Refusal) in try await setDefault(PathImpairment(), call) },
    Route(
      .put, "radio/paths/{from}/{to}", of: .program, "sets the impairment of the path from one controller to another",
      body: Route.Body(shape: .object(pathFields, isOpen: false)), .json(path), refusals: [.noRadio]
    ) { call async throws(Refusal) in try await setPath(try impairment(call), call) },
    Route(
      .delete, "radio/paths/{from}/{to}", of: .program, "makes the path follow the default", .json(path),
      refusals: [.noRadio]
    ) { call async throws(Refusal) in try await setPath(nil, call) },
    Route(
      .put, "radio/controllers/{controller}", of: .program, "impairs a controller, which may join later",
      body: Route.Body(shape: .object(controllerFields, isOpen: false)), .json(controller), refusals: [.noRadio]
    ) { call async throws(Refusal) in try await setController(try controllerImpairment(call), call) },
    Route(
      .delete, "radio/controllers/{controller}", of: .program, "repairs a controller", .json(controller),
      refusals: [.noRadio]
    ) { call async throws(Refusal) in try await setController(ControllerImpairment(), call) },
    Route(
      .post, "radio/controllers/{controller}/restart", of: .program, "restarts a controller",
      body: .fields(
        .optional(
          "notice", .words(["silent", "nop", "hardware-error", "assertion"]),
          "how it announces the restart; default `silent`"),
        .optional("code", .integer(0...255), "for a hardware error"), .optional("file", .text, "for an assertion"),
        .optional("line", .integer(0...0xFFFF_FFFF), "for an assertion")),
      .json(.object(.needed("restarted", .text))), refusals: [.noRadio]
    ) { call async throws(Refusal) in
      let (radio, name) = (try await call.service.subject.radio(), try controllerName(call, "controller"))
      guard await radio.restartController(name, announcing: notice(call)) else {
        throw Refusal(.unknownController, "there is no controller \(name) on the air")
      }
      return .json(.object(["restarted": .string(name)]))
    },
  ]

  private static func advance(_ call: RouteCall) async throws(Refusal) -> Response {
    let radio = try await call.service.subject.radio()
    let duration = call.text("for").flatMap { Durations.parse($0) } ?? .zero
    let furthest = call.service.streams.limits.advance
    guard duration <= furthest else {
      throw Refusal(.badRequest, "for must be at most \(furthest / .seconds(3600)) h")
    }
    for accessory in call.service.subject.accessories where await accessory.virtualRadio == nil {
      throw Refusal(
        .realTime, "\(accessory.profile.name) uses \(accessory.options.controller), whose time cannot be advanced")
    }
    let latch = Latch()
    let shutdown = call.service.streams.shutdown
    let id = shutdown.notify { latch.open() }
    let begin = await radio.elapsed
    await radio.advance(by: duration) { latch.open() }
    await latch.wait()
    shutdown.forget(id)
    let end = await radio.elapsed
    guard end - begin >= duration else { throw Refusal(.ending, "the program ends before that time") }
    return .json(
      .object(["advanced_ms": .double((end - begin) / .milliseconds(1)), "elapsed_ms": .double(end / .milliseconds(1))])
    )
  }

  private static func setDefault(_ impairment: PathImpairment, _ call: RouteCall) async throws(Refusal) -> Response {
    await (try await call.service.subject.radio()).setDefaultImpairment(impairment)
    return .json(impairment.json)
  }

  private static func setPath(_ impairment: PathImpairment?, _ call: RouteCall) async throws(Refusal) -> Response {
    let radio = try await call.service.subject.radio()
    let (from, to) = (try controllerName(call, "from"), try controllerName(call, "to"))
    guard from != to else { throw Refusal(.unknownController, "a path leads from one controller to another") }
    await radio.setImpairment(impairment, from: from, to: to)
    return .json(await radio.pathState(from: from, to: to))
  }

  private static func setController(
    _ impairment: ControllerImpairment, _ call: RouteCall
  ) async throws(Refusal) -> Response {
    await (try await call.service.subject.radio()).setImpairment(impairment, of: try controllerName(call, "controller"))
    return .json(impairment.json)
  }

  /// Returns the controller's name from the path. The controller may join later.
  private static func controllerName(_ call: RouteCall, _ place: String) throws(Refusal) -> String {
    guard RadioHub.isName(call[place]) else {
      throw Refusal(.unknownController, "no controller ever has the name \(call[place]) (known: \(RadioHub.names))")
    }
    return call[place]
  }

  private static func impairment(_ call: RouteCall) throws(Refusal) -> PathImpairment {
    var impairment = PathImpairment()
    for (field, value) in call.fields.sorted(by: { $0.key < $1.key }) {
      do throws(ImpairmentFieldError) { try impairment.set(field, to: text(value)) } catch {
        throw Refusal(.badRequest, "\(error)")
      }
    }
    return impairment
  }

  private static func controllerImpairment(_ call: RouteCall) throws(Refusal) -> ControllerImpairment {
    var impairment = ControllerImpairment()
    if let milliseconds = call.fields["latency_ms"]?.number {
      impairment.latency = .microseconds(Int64((milliseconds * 1000).rounded()))
    }
    impairment.isHung = call.flag("hung") ?? false
    impairment.bufferLimit = call.integer("buffers")
    return impairment
  }

  /// Returns a value in the syntax of the command line.
  private static func text(_ value: ProfileValue) -> String {
    if case .string(let text) = value { text } else { value.jsonText }
  }

  private static func notice(_ call: RouteCall) -> RestartNotice {
    switch call.text("notice") {
    case "nop": .nop
    case "hardware-error": .hardwareError(UInt8(clamping: call.integer("code") ?? 0))
    case "assertion":
      .zephyrAssertion(file: call.text("file") ?? "virtual.c", line: UInt32(clamping: call.integer("line") ?? 1))
    default: .silently
    }
  }
}
