import ArgumentParser
import BLECore
import Capture
import Decoding
import Glibc
import Viewing

/// Runs a `ScreenModel` on the terminal: passes keys and packets to it, and draws its lines.
struct ScreenRunner: ~Copyable {
  private var feed: ScreenFeed
  private let name: String
  private let isLive: Bool
  private let descriptor: CInt
  private let isRegular: Bool
  /// The files that this screen has written. It may overwrite them.
  private var written: Set<String> = []

  /// A regular file that has ended may grow. It is read again after this time, in nanoseconds.
  private static let growth: Int64 = 200_000_000

  init(_ model: consuming ScreenModel, _ source: CaptureSource, decryptor: LinkDecryptor) throws {
    name = source.name
    feed = ScreenFeed(model, name: name, decryptor: decryptor)
    isLive = source.isLive
    descriptor =
      switch source {
      case .file("-"): dup(STDIN_FILENO)
      case .file(let path): open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      case .live(let capture): capture.takeDescriptor()
      }
    guard descriptor >= 0 else {
      Terminal.error("\(CaptureReadFailure.system(path: name, code: errno))")
      throw ExitStatus.noInput
    }
    var status = stat()
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  consuming func run() throws {
    guard let terminal = ScreenTerminal() else {
      Terminal.error("--screen needs a terminal; without it the packets are printed as lines")
      throw ExitStatus.unavailable
    }
    var keys = KeyParser()
    var painter = ScreenPainter(usesColour: Terminal.wantsColour)
    var pace = ScreenPace()
    var octets = [UInt8](repeating: 0, count: ScreenFeed.octetsPerTurn)
    var looked: Int64 = 0
    while true {
      if let size = terminal.takeSize() {
        feed.model.resize(rows: size.rows, columns: size.columns)
        painter.forget()
        pace.change()
      }
      let now = Self.now()
      if pace.draws(at: now) { terminal.put(painter.text(showing: feed.model.lines)) }
      let mayRead = !feed.hasEnded && !feed.isBusy
      let isDue = mayRead && (!isRegular || now >= looked)
      var entries = [
        pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isDue ? descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let wait = feed.isBusy ? 0 : pace.wait(at: now) ?? (mayRead && !isDue ? looked - now : nil)
      let count = poll(&entries, 2, wait.map { $0 == 0 ? 0 : CInt(clamping: $0 / 1_000_000 + 1) } ?? -1)
      if count > 0, entries[0].revents != 0 {
        let count = read(terminal.descriptor, &octets, octets.count)
        guard count > 0 || errno == EINTR else { return }
        for key in keys.keys(in: octets[..<max(0, count)]) where !feed.model.press(key) { return }
        if let saving = feed.model.takeSaving() { save(saving) }
        pace.change()
      }
      if count > 0, entries[1].revents != 0 {
        let count = read(descriptor, &octets, octets.count)
        if count > 0 {
          feed.take(octets.span.extracting(..<count))
          pace.change()
        } else if count == 0, isRegular, feed.format != .packetLogger {
          looked = Self.now() + Self.growth
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
          end(failure: count < 0 ? errno : nil)
          pace.change()
        }
      } else if feed.isBusy {
        feed.work()
        pace.change()
      }
    }
  }

  private mutating func end(failure: CInt?) {
    let reason = failure.map { "\(CaptureReadFailure.system(path: name, code: $0))" }
    feed.end(reason ?? (isLive ? "no more packets follow" : nil))
  }

  /// Writes a file. Does not overwrite other existing files, because they may contain other packets.
  private mutating func save(_ saving: ScreenModel.Saving) {
    guard written.contains(saving.path) || access(saving.path, F_OK) != 0 else {
      return feed.model.tell("give another name, this file exists: \(saving.path)")
    }
    do throws(CaptureFailure) {
      try WholeFile.write(saving.octets, to: saving.path)
      written.insert(saving.path)
      feed.model.tell(saving.success, isFault: false)
    } catch {
      feed.model.tell("\(error)")
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
