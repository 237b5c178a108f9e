import BLECore

/// A track that a phone plays.
public struct MediaTrack: Hashable, Sendable {
  /// The title.
  public var title: String
  /// The artist; empty if there is none.
  public var artist: String
  /// The album; empty if there is none.
  public var album: String
  /// The length.
  public var duration: Duration

  /// Creates a track, by default of three minutes.
  public init(_ title: String, artist: String = "", album: String = "", duration: Duration = .seconds(180)) {
    (self.title, self.artist, self.album, self.duration) = (title, artist, album, duration)
  }
}

/// The state of a phone's player, for accessories that use the Apple Media Service.
public struct NowPlaying: Hashable, Sendable {
  /// Whether tracks are shuffled or repeated, with the numbers of the Apple Media Service.
  public enum Mode: Int, Sendable { case off, one, all }

  /// The name of the app that plays.
  public var player = "Music"
  /// The tracks.
  public var queue: [MediaTrack] = []
  /// The place of the present track in the queue, from 0.
  public var index = 0
  /// Whether the track plays; otherwise it is paused.
  public var isPlaying = false
  /// The position in the track.
  public var elapsed = Duration.zero
  /// The volume, from 0 to 1.
  public var volume = 0.5
  /// Whether tracks are shuffled.
  public var shuffle = Mode.off
  /// Whether tracks are repeated.
  public var repeats = Mode.off

  /// Creates a player with these tracks, at the first.
  public init(_ queue: [MediaTrack] = [], isPlaying: Bool = false) {
    (self.queue, self.isPlaying) = (queue, isPlaying)
  }

  /// The present track; nil if there is none.
  public var track: MediaTrack? { queue.indices.contains(index) ? queue[index] : nil }
}

/// The commands that an accessory can give a player, with the numbers of the Apple Media Service.
enum RemoteCommand: UInt8, CaseIterable {
  case play, pause, togglePlayPause, nextTrack, previousTrack, volumeUp, volumeDown, advanceRepeatMode
  case advanceShuffleMode, skipForward, skipBackward
}

extension NowPlaying {
  /// Performs a command. As on an iPhone, skipping moves by 15 s, and the volume has 16 steps.
  mutating func perform(_ command: RemoteCommand) {
    switch command {
    case .play: isPlaying = true
    case .pause: isPlaying = false
    case .togglePlayPause: isPlaying.toggle()
    case .nextTrack: moveTrack(by: 1)
    case .previousTrack: moveTrack(by: -1)
    case .volumeUp: volume = min(1, volume + 1 / 16)
    case .volumeDown: volume = max(0, volume - 1 / 16)
    case .advanceRepeatMode: repeats = Mode(rawValue: (repeats.rawValue + 1) % 3) ?? .off
    case .advanceShuffleMode: shuffle = Mode(rawValue: (shuffle.rawValue + 1) % 3) ?? .off
    case .skipForward: elapsed = min(elapsed + .seconds(15), track?.duration ?? .zero)
    case .skipBackward: elapsed = max(.zero, elapsed - .seconds(15))
    }
  }

  private mutating func moveTrack(by step: Int) {
    guard !queue.isEmpty else { return }
    index = queue.indices.contains(index) ? (index + step + queue.count) % queue.count : 0
    elapsed = .zero
  }

  /// The texts of all attributes, by entity: the player, the queue, the track.
  var texts: [[String]] {
    let playback = "\(isPlaying ? 1 : 0),\(isPlaying ? "1.0" : "0.0"),\(elapsed / .seconds(1))"
    return [
      [player, playback, "\(volume)"],
      ["\(index)", "\(queue.count)", "\(shuffle.rawValue)", "\(repeats.rawValue)"],
      [
        track?.artist ?? "", track?.album ?? "", track?.title ?? "", track.map { "\($0.duration / .seconds(1))" } ?? "",
      ],
    ]
  }
}
