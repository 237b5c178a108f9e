import ArgumentParser
import BLECore
import Capture
import Decoding
import Glibc
import Viewing

/// Runs a `ScreenModel` on the terminal: keys and packets in, lines out, as fast as both come.
struct ScreenRunner: ~Copyable {
  private var model: ScreenModel
  private var decryptor: LinkDecryptor
  private let name: String
  private let isLive: Bool
  private let descriptor: CInt
  private let isRegular: Bool
  private var parser = CaptureParser()
  private var record = CaptureRecord()
  private var hasEnded = false

  /// The screen is drawn at most so often.
  private static let frame: Int64 = 40_000_000
  /// A file on a disk that has ended may grow: it is looked at again after that time.
  private static let growth: Int64 = 200_000_000
  private static let readSize = 65_536

  init(_ model: consuming ScreenModel, _ source: CaptureSource, decryptor: LinkDecryptor) throws {
    self.model = model
    self.decryptor = decryptor
    name = source.name
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
    var octets = [UInt8](repeating: 0, count: Self.readSize)
    var drawn: Int64 = 0
    var looked: Int64 = 0
    var isStale = true
    while true {
      if let size = terminal.takeSize() {
        model.resize(rows: size.rows, columns: size.columns)
        terminal.forget()
        isStale = true
      }
      let now = Self.now()
      if isStale, now - drawn >= Self.frame {
        terminal.show(model.lines.map(Self.rendered))
        (drawn, isStale) = (now, false)
      }
      let isDue = !hasEnded && (!isRegular || now >= looked)
      var entries = [
        pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isDue ? descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let wait = isStale ? Self.frame - (now - drawn) : hasEnded || !isRegular || isDue ? -1 : looked - now
      let count = poll(&entries, 2, wait < 0 ? -1 : CInt(clamping: wait / 1_000_000 + 1))
      guard count > 0 else { continue }
      if entries[0].revents != 0 {
        let count = read(terminal.descriptor, &octets, octets.count)
        guard count > 0 || errno == EINTR else { return }
        for key in keys.keys(in: octets[..<max(0, count)]) where !model.press(key) { return }
        isStale = true
      }
      if entries[1].revents != 0 {
        let count = read(descriptor, &octets, octets.count)
        if count > 0 {
          take(octets[..<count])
          isStale = true
        } else if count == 0, isRegular, parser.format != .packetLogger {
          looked = Self.now() + Self.growth
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
          end(failure: count < 0 ? errno : nil)
          isStale = true
        }
      }
    }
  }

  private mutating func take(_ octets: ArraySlice<UInt8>) {
    parser.push(octets.span)
    takeRecords()
  }

  private mutating func end(failure: CInt?) {
    hasEnded = true
    parser.end()
    takeRecords()
    if let failure {
      model.tell("\(CaptureReadFailure.system(path: name, code: failure))")
    } else if isLive {
      model.tell("no more packets come")
    }
  }

  private mutating func takeRecords() {
    do throws(CaptureFault) {
      while try parser.next(into: &record) {
        decryptor.decrypt(&record)
        model.add(record)
      }
    } catch {
      hasEnded = true
      model.tell("\(CaptureReadFailure.format(path: name, error))")
    }
  }

  private static func rendered(_ line: ScreenLine) -> String {
    line.parts.map { part in
      let code = code(of: part.style)
      return code.isEmpty ? part.text : "\u{1B}[\(code)m\(part.text)\u{1B}[0m"
    }.joined()
  }

  /// What selects a look; colours only where they are wanted.
  private static func code(of style: ScreenLine.Style) -> String {
    switch style {
    case .plain: ""
    case .bold: "1"
    case .inverse: "7"
    case .dim: Terminal.wantsColour ? "2" : ""
    case .red: Terminal.wantsColour ? "31" : ""
    case .green: Terminal.wantsColour ? "32" : ""
    case .cyan: Terminal.wantsColour ? "36" : ""
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
