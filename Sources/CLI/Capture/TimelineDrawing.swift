import Understudy
import Viewing

/// A drawing of connections. Each connection has one lane for each aspect that can change, with bars for the states.
struct TimelineDrawing {
  private static let (accent, bar) = (SVGPalette.accent, SVGPalette.accentArea)
  private static let (frame, quiet) = (SVGPalette.frame, SVGPalette.quiet)
  private static let (left, right, laneHeight, headHeight) = (150.0, 1040.0, 26.0, 52.0)
  /// The maximum average width of a character in typical texts.
  private static let characterWidth = 6.6
  /// The maximum number of connections: more would make the picture unreadable.
  private static let limit = 64

  private static let lanes: [(aspect: ConnectionTimeline.Aspect, name: String)] = [
    (.parameters, "Parameters"), (.phy, "PHY"), (.dataLength, "Data length"), (.mtu, "MTU"),
    (.encryption, "Encryption"), (.request, "Requests"), (.connection, "Connection"),
  ]

  private let connections: [ConnectionTimeline.Connection]

  init(_ connections: [ConnectionTimeline.Connection]) { self.connections = Array(connections.prefix(Self.limit)) }

  var document: String {
    let block = Self.headHeight + Self.laneHeight * Double(Self.lanes.count) + 40
    var drawing = SVGDrawing(
      width: Int(Self.right) + 40, height: Int(56 + block * Double(max(1, connections.count))))
    drawing.text("Connections over time", x: 24, y: 32, size: 18, isBold: true)
    for (place, connection) in connections.enumerated() {
      draw(connection, at: 56 + block * Double(place), &drawing)
    }
    return drawing.document
  }

  private func draw(_ connection: ConnectionTimeline.Connection, at top: Double, _ drawing: inout SVGDrawing) {
    let scale = TimelineScale(connection)
    func place(_ part: Double) -> Double { Self.left + (Self.right - Self.left) * part }
    drawing.text(connection.name, x: 24, y: top + 18, size: 13, isBold: true)
    drawing.text(
      "from \(PacketWords.clock(connection.began)) UTC", x: Self.right, y: top + 18, anchor: .end, fill: Self.quiet)
    let bottom = top + Self.headHeight + Self.laneHeight * Double(Self.lanes.count)
    for mark in scale.marks {
      let x = place(mark.place)
      drawing.line(from: (x, top + Self.headHeight - 8), to: (x, bottom), stroke: SVGPalette.grid)
      drawing.text(
        mark.label, x: x, y: top + Self.headHeight - 14, anchor: .middle, size: 11, fill: Self.quiet)
    }
    for (number, lane) in Self.lanes.enumerated() {
      let y = top + Self.headHeight + Self.laneHeight * Double(number)
      drawing.text(lane.name, x: 24, y: y + 17)
      drawing.line(from: (Self.left, y + Self.laneHeight), to: (Self.right, y + Self.laneHeight), stroke: Self.frame)
      let entries = connection.entries.filter { $0.aspect == lane.aspect }
      for (index, entry) in entries.enumerated() {
        let from = place(scale.place(of: entry.nanoseconds))
        let to = index + 1 < entries.count ? place(scale.place(of: entries[index + 1].nanoseconds)) : Self.right
        let lasts = lane.aspect != .request && lane.aspect != .connection
        if lasts {
          drawing.rectangle(
            x: from, y: y + 3, width: max(1, to - from), height: Self.laneHeight - 6, fill: Self.bar,
            stroke: Self.accent)
        } else {
          drawing.diamond(x: from, y: y + Self.laneHeight / 2, radius: 5, fill: Self.accent)
        }
        Self.write(entry.text, from: from + (lasts ? 5 : 9), to: to, y: y + 17, &drawing)
      }
    }
  }

  /// Writes as much of a text as fits. Near the right edge, it is placed to the left.
  private static func write(_ text: String, from: Double, to: Double, y: Double, _ drawing: inout SVGDrawing) {
    let room = Int((to - from - 4) / characterWidth)
    if text.count <= room {
      drawing.text(text, x: from, y: y)
    } else if room >= 4 {
      drawing.text(text.prefix(room - 1) + "…", x: from, y: y)
    } else if to >= right {
      drawing.text(text, x: from - 16, y: y, anchor: .end)
    }
  }
}
