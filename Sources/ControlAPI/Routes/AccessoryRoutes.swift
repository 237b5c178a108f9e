import AccessoryProfile
import BLEGAP
import BLELink
import HTTPTypes
import Hummingbird
import PeripheralHost
import Understudy

extension RouteTable {
  private static let summary: [Shape.Field] = [
    Shape.Field.needed("id", .text, "its name in paths"),
    Shape.Field.needed("path", .text, "the prefix of its own paths"),
    Shape.Field.needed("name", .text), Shape.Field.needed("address", Shape.text.orNull),
    Shape.Field.needed("address_type", .text),
    Shape.Field.needed("controller", .text), Shape.Field.needed("advertising", .list(.text)),
    Shape.Field.needed("connections", .list(.open())),
  ]
  private static let state = Shape.open(
    .needed("name", .text), .needed("about", .text),
    .needed("address", Shape.text.orNull, "null until the controller is initialized"),
    .needed("address_type", .words(["public", "random"])), .needed("controller", .text),
    .needed("ports", .list(.number16)), .needed("joining", .list(.text)),
    .needed("advertising", .list(.text), "the sets that are on the air"),
    .needed("connections", .list(.open(.needed("connection", .number16), .needed("peer", .text)))),
    .needed(
      "connection_counts",
      .object(.needed("made", .count), .needed("ended", .count), .needed("failed", .count)),
      "connections since the start; `failed` failed to be established (0x3E)"),
    .needed("services", .list(serviceShape)))

  /// The report about a reset or restored accessory.
  static let begunAnew = Shape.object(
    .needed("links", .count, "the number of ended connections"),
    .needed("bonds", .count, "the number of bonds"),
    .needed("last", .integer(0...Int64.max), "the `id` after which expectations search from now on"))

  static let accessory: [Route] = [
    Route(
      .get, "accessories", of: .program,
      "the accessories of this run; if there are several, the paths of each are below its `path`",
      .json(.object(.needed("accessories", .list(.object(summary, isOpen: false)))))
    ) { call async throws(Refusal) in .json(await call.service.subject.list()) },
    Route(
      .get, "accessory",
      "identity, controller, advertising, connections, database; also at the `path` of the accessory",
      .json(state)
    ) { call async throws(Refusal) in .json(await (try call.accessory()).stateReport()) },
    Route(
      .get, "profile", "the profile as it was loaded: its file, its text, and the `settings` that changed it",
      .json(.object(.needed("file", .text), .needed("text", .text), .needed("settings", .list(.text))))
    ) { call async throws(Refusal) in
      let profile = try call.accessory().profile
      return .json(
        .object([
          "file": .string(profile.file), "text": .string(profile.source.text),
          "settings": .array(profile.source.settings.map { .string($0.text) }),
        ]))
    },
    Route(
      .get, "advertising", "every advertising set: whether it is `on`, and its intervals",
      .json(
        .object(
          .needed(
            "advertising",
            .list(
              .object(
                .needed("id", .text), .needed("kind", .text), .needed("connectable", .truth), .needed("on", .truth),
                .needed("interval_ms", .list(.anyNumber)))))))
    ) { call async throws(Refusal) in .json(.object(["advertising": await (try call.accessory()).advertisingReport()]))
    },
    advertisingSwitch("start", isOn: true), advertisingSwitch("stop", isOn: false), modes,
    Route(
      .get, "buttons",
      "the buttons in the profile's [rules](profile-rules.md#rules), and its current `state`",
      .json(.object(.needed("buttons", .list(.text)), .needed("state", Shape.text.orNull)))
    ) { call async throws(Refusal) in
      let accessory = try call.accessory()
      let (state, buttons) = (await accessory.profileState, await accessory.buttons)
      return .json(
        .object(["buttons": .array(buttons.map { .string($0) }), "state": state.map { .string($0) } ?? .null]))
    },
    Route(
      .post, "buttons/{button}", "presses a button", body: .nothing, status: .accepted,
      .json(.object(.needed("button", .text)))
    ) { call async throws(Refusal) in
      let button = call["button"]
      try await call.control { accessory throws(ControlError) in try await accessory.press(button) }
      return .json(.object(["button": .string(button)]), status: .accepted)
    },
    sleepSwitch("sleep", isAsleep: true), sleepSwitch("wake", isAsleep: false),
    Route(
      .post, "reset", of: .accessories,
      "resets the accessory to its initial state, and responds when it is on the air again: links are "
        + "ended; values, services, channels, rules, security and faults are as in the profile; identity and "
        + "bonds are kept",
      body: .fields(.optional("bonds", .truth, "true to delete the bonds, too")),
      .json(begunAnew), refusals: [.notReady]
    ) { call async throws(Refusal) in try await reset(call) },
    Route(
      .post, "identity/rotate",
      "gives the accessory a new identity, with a new address and key and without bonds; `aside` lists the "
        + "files of its old bonds; refused if the profile sets the address",
      body: .nothing, .json(.object(.needed("address", Shape.text.orNull), .needed("aside", .list(.text)))),
      refusals: [.unsuitableValue, .notReady, .notKept]
    ) { call async throws(Refusal) in
      .json(try await call.control { accessory throws(ControlError) in try await accessory.rotateIdentity().json })
    },
  ]

  /// Resets the accessory, or all of several, one after the other.
  private static func reset(_ call: RouteCall) async throws(Refusal) -> Response {
    let forgetsBonds = call.flag("bonds") ?? false
    let isAll = call.names["accessory"] == nil && call.service.subject.group != nil
    var (links, bonds) = (0, 0)
    for accessory in isAll ? call.service.subject.accessories : [try call.accessory()] {
      do throws(ControlError) {
        let report = try await accessory.reset(forgettingBonds: forgetsBonds)
        (links, bonds) = (links + report.links, bonds + report.bonds)
      } catch {
        throw Refusal(error)
      }
    }
    return try await begunAnew(call, links: links, bonds: bonds)
  }

  /// Answers a request that has reset accessories. Expectations search after this point.
  static func begunAnew(_ call: RouteCall, links: Int, bonds: Int) async throws(Refusal) -> Response {
    let journal = try await call.journal()
    let last = journal.last
    journal.give(last)
    return .json(
      .object(["links": .int(Int64(links)), "bonds": .int(Int64(bonds)), "last": .int(Int64(last))]))
  }

  private static func sleepSwitch(_ verb: String, isAsleep: Bool) -> Route {
    Route(
      .post, verb, isAsleep ? "takes the accessory off the air until something wakes it" : "wakes the accessory",
      body: .nothing, status: .accepted, .json(.object(.needed("asleep", .truth)))
    ) { call async throws(Refusal) in
      try await call.control { accessory throws(ControlError) in try await accessory.setAsleep(isAsleep) }
      return .json(.object(["asleep": .bool(isAsleep)]), status: .accepted)
    }
  }

  private static func advertisingSwitch(_ verb: String, isOn: Bool) -> Route {
    Route(
      .post, "advertising/{set}/\(verb)", isOn ? "starts an advertising set" : "stops an advertising set",
      body: .nothing,
      status: .accepted, .json(.object(.needed("set", .text), .needed("wanted", .truth))),
      refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in try await advertise(call, isOn: isOn) }
  }

  /// The words for discoverable modes, or a time.
  private static let discoverability = Shape.either(.words(["general", "no"]), .duration)

  private static let modes = Route(
    .put, "br-edr",
    "changes whether devices find the accessory over BR/EDR and connect to it, until it is started again",
    body: .fields(
      .optional(
        "discoverable", discoverability, "a time is that in limited discoverable mode, 30 s to 1 h"),
      .optional("connectable", .truth)),
    status: .accepted, .json(.object(.needed("discoverable", discoverability), .needed("connectable", .truth))),
    refusals: [.impossible]
  ) { call async throws(Refusal) in
    var modes = ClassicModes(isConnectable: call.flag("connectable"))
    if let word = call.text("discoverable") {
      guard let discoverability = ClassicSettings.Discoverability(word: word) else {
        throw Refusal(.badRequest, "discoverable must be general, no, or a time from 30 s to 1 h")
      }
      modes.discoverability = discoverability
    }
    let change = modes
    let present = try await call.control { accessory throws(ControlError) in try await accessory.setModes(change) }
    return .json(present.described, status: .accepted)
  }

  private static func advertise(_ call: RouteCall, isOn: Bool) async throws(Refusal) -> Response {
    let (accessory, set) = (try call.accessory(), call["set"])
    do throws(ControlError) {
      try await accessory.perform(.advertise(set: set, isOn: isOn))
    } catch {
      guard case .refused(.unknownSet) = error else { throw Refusal(error) }
      // The profile may have the set, although the controller cannot support it.
      guard accessory.profile.advertising.contains(where: { $0.id == set }) else { throw Refusal(error) }
      throw Refusal(.notReady, "the controller cannot support the advertising set \(set)")
    }
    return .json(.object(["set": .string(set), "wanted": .bool(isOn)]), status: .accepted)
  }
}

extension Route.Body {
  /// No body, or an object without fields.
  static let nothing = Route.Body(shape: .object(), isRequired: false)

  /// An object with these fields.
  static func fields(_ fields: Shape.Field...) -> Route.Body {
    Route.Body(shape: .object(fields, isOpen: false), isRequired: fields.contains(where: \.isRequired))
  }

  /// A part of a profile as JSON.
  static func language(_ name: String) -> Route.Body { Route.Body(shape: .map(.any), language: name) }
}
