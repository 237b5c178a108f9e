import BLECore
import BLELink
import CentralHost

/// One thing that a central does in a session.
enum SoakAction: Hashable, Sendable {
  case exchangeMTU
  case discover
  /// Reads the value that never changes.
  case readLabel
  /// Reads what was written last.
  case readSlot
  /// Reads all values, whatever they are.
  case readEverything
  /// Writes that many octets, with a response.
  case write(Int)
  /// Writes values of those lengths in octets, without responses.
  case writeCommands([Int])
  /// Begins to write that many octets and does not wait for the end.
  case beginWrite(Int)
  /// Subscribes to the sequence, or to the steps.
  case subscribe(SoakStream)
  case unsubscribe(SoakStream)
  /// Takes that many values of a stream that it has subscribed to.
  case take(SoakStream, Int)
  /// Subscribes to everything.
  case subscribeToEverything
  case openChannel
  /// Sends that many octets over the channel and takes them back.
  case echo(Int)
  case closeChannel
  /// Changes the parameters of the link.
  case update(LinkParameters)
  /// Does nothing.
  case pause(Duration)
}

extension SoakAction: CustomStringConvertible {
  var description: String {
    switch self {
    case .exchangeMTU: "exchanging the MTU"
    case .discover: "discovering"
    case .readLabel: "reading the label"
    case .readSlot: "reading the slot"
    case .readEverything: "reading everything"
    case .write(let octets): "writing \(octets) octets"
    case .writeCommands(let lengths): "writing \(lengths.count) values without response"
    case .beginWrite(let octets): "beginning to write \(octets) octets"
    case .subscribe(let stream): "subscribing to the \(stream)"
    case .unsubscribe(let stream): "unsubscribing from the \(stream)"
    case .take(let stream, let count): "taking \(count) values of the \(stream)"
    case .subscribeToEverything: "subscribing to everything"
    case .openChannel: "opening the channel"
    case .echo(let octets): "sending \(octets) octets over the channel"
    case .closeChannel: "closing the channel"
    case .update(let parameters): "changing the interval to \(parameters.intervals.lowerBound)"
    case .pause(let duration): "pausing for \(duration)"
    }
  }
}

/// What the accessory sends by itself.
enum SoakStream: String, Hashable, Sendable, CustomStringConvertible {
  case sequence, steps

  var description: String { rawValue }
}

/// A session, from its connection to its end.
struct SoakPlan: Hashable, Sendable {
  /// How long nothing is done before it.
  var rest: Duration
  var parameters: LinkParameters
  var actions: [SoakAction]
  var end: SoakEnd

  /// Draws a session from random numbers. Some sessions have no actions at all, others are long.
  init(_ random: inout SplitMix64, _ pace: SoakPace, ends: [SoakEnd]) {
    rest = pace.rest(&random)
    parameters = Self.parameters(&random)
    end = ends[Int(random.upTo(UInt64(max(1, ends.count) - 1)))]
    guard random.upTo(19) > 0 else {
      actions = []
      return
    }
    actions = random.upTo(4) > 0 ? [.exchangeMTU, .discover, .readSlot] : [.discover, .readSlot]
    var isOpen = false
    for _ in 0..<(2 + random.upTo(10)) { Self.append(to: &actions, &isOpen, &random) }
    // Half of the channels stay open until the link ends.
    if isOpen, random.upTo(1) == 0 { actions.append(.closeChannel) }
    if random.upTo(3) == 0 { actions.append(.beginWrite(100 + Int(random.upTo(412)))) }
  }

  private static func append(to actions: inout [SoakAction], _ isOpen: inout Bool, _ random: inout SplitMix64) {
    switch random.upTo(9) {
    case 0: actions.append(.readLabel)
    case 1: actions += [.write(1 + Int(random.upTo(18))), .readSlot]
    case 2: actions += [.write(19 + Int(random.upTo(493))), .readSlot]
    case 3: actions += [.writeCommands((0...random.upTo(20)).map { _ in 1 + Int(random.upTo(18)) }), .readSlot]
    case 4, 5:
      actions += [.subscribe(.sequence), .take(.sequence, 1 + Int(random.upTo(100)))]
      if random.upTo(1) == 0 { actions += [.unsubscribe(.sequence), .pause(.seconds(1))] }
    case 6: actions += [.subscribe(.steps), .take(.steps, 1 + Int(random.upTo(4))), .unsubscribe(.steps)]
    case 7:
      if !isOpen { actions.append(.openChannel) }
      isOpen = true
      actions.append(.echo(1 + Int(random.upTo(random.upTo(4) == 0 ? 60_000 : 6000))))
    case 8: actions.append(.update(parameters(&random)))
    default: actions.append(.pause(.milliseconds(Int64(random.upTo(20_000)))))
    }
  }

  /// Returns an interval from 7.5 to 100 ms, with or without latency, and a supervision timeout that fits.
  private static func parameters(_ random: inout SplitMix64) -> LinkParameters {
    let intervals: [Duration] = [
      .microseconds(7500), .milliseconds(15), .milliseconds(30), .milliseconds(45), .milliseconds(100),
    ]
    return LinkParameters(
      interval: intervals[Int(random.upTo(4))], latency: Int(random.upTo(3)),
      timeout: .milliseconds(1000 + 500 * Int64(random.upTo(6))))
  }

  /// Makes the session fit an accessory that has nothing of what the soak knows.
  mutating func generalize() {
    actions =
      actions.isEmpty ? [] : [.exchangeMTU, .discover, .readEverything, .subscribeToEverything, .pause(.seconds(10))]
  }
}

/// How much time passes between sessions.
enum SoakPace: String, Hashable, Sendable {
  /// Mostly seconds, sometimes half an hour, as in real life.
  case life
  /// A few seconds at most.
  case busy

  func rest(_ random: inout SplitMix64) -> Duration {
    let kind = random.upTo(9)
    let part = random.fraction()
    switch (self, kind) {
    case (.busy, _), (.life, 0...6): return .milliseconds(Int64(part * 5000))
    case (.life, 7...8): return .milliseconds(5000 + Int64(part * 55_000))
    case (.life, _): return .milliseconds(60_000 + Int64(part * 1_740_000))
    }
  }
}
