import Capture
import Decoding
import Viewing

/// Prints a conversation, and the outcome of pairings.
struct ConversationPrinter {
  let subject: Following.Subject
  private var conversation = ConversationText()

  init(subject: Following.Subject) { self.subject = subject }

  mutating func print(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder, to output: inout LineOutput
  ) {
    let line = conversation.line(summary, record, decoder)
    if let name = line.connection { output.print("\(Terminal.styled("connection \(name)", .bold))") }
    output.print("\(Terminal.styled(line.columns, PacketPrinter.style(summary)))  \(line.text)")
  }

  /// Prints the outcome of the pairings shown.
  func end(_ decoder: borrowing PacketDecoder, to output: inout LineOutput) {
    guard case .pairing = subject else { return }
    for (number, text) in conversation.ends(decoder) {
      output.print("\(Terminal.styled("pairing \(number)", .bold)), \(text)")
    }
  }
}
