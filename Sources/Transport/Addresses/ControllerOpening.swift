/// The result of opening a controller address.
package enum OpenedController {
  /// A line to the controller.
  case line(Line)
  /// A pseudo-terminal whose other side the controller opens.
  case terminal(PseudoTerminal)
  /// A socket that the controller connects to.
  case listening(ListeningSocket)
}

extension ControllerAddress {
  /// Opens the address. A connection may take up to `Line.connectLimit`.
  ///
  /// `virtual` and `auto` cannot be opened here. Callers create the virtual controller, or look up the board.
  package func open() throws(TransportError) -> OpenedController {
    switch self {
    case .virtual, .auto:
      throw TransportError(
        kind: .unsupported, what: "cannot open a line to", place: description, why: "it is not the address of a line")
    case .serial(let settings): .line(try Line.openSerial(settings))
    case .tcpClient(let host, let port): .line(try Line.connectTCP(host: host, port: port))
    case .tcpServer(let host, let port): .listening(try ListeningSocket.tcp(host: host, port: port))
    case .unix(let path): .line(try Line.connectUnix(path: path))
    case .pty(let link): .terminal(try PseudoTerminal.open(link: link))
    case .hci(let index): .line(try Line.openAdapter(index))
    }
  }
}
