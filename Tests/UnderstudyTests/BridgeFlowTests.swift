import Testing

@testable import Understudy

@Suite("Flow between a channel and a line")
struct BridgeFlowTests {
  private func open(sendMTU: Int = 10) -> BridgeFlow {
    var flow = BridgeFlow(sendMTU: sendMTU)
    flow.lineOpened()
    return flow
  }

  /// Sends what the channel accepts, in SDUs.
  private func send(_ flow: inout BridgeFlow, atMost limit: Int = .max) -> [[UInt8]] {
    var sdus: [[UInt8]] = []
    while sdus.count < limit, let sdu = flow.nextSDU {
      sdus.append(Array(sdu))
      flow.sent(sdu.count)
    }
    return sdus
  }

  @Test("Before there is a line, the central gets no credits, and its data is kept")
  func early() {
    var flow = BridgeFlow(sendMTU: 10)
    #expect(flow.wantsHold && !flow.wantsReading)
    flow.received([1, 2])
    flow.received([3])
    #expect(flow.takeIncoming() == [])
    flow.lineOpened()
    #expect(!flow.wantsHold && flow.wantsReading)
    #expect(flow.takeIncoming() == [1, 2, 3])
    #expect(flow.takeIncoming() == [])
  }

  @Test("Data from the line becomes SDUs of at most the central's MTU, and the line is read again when they are sent")
  func sdus() {
    var flow = open()
    flow.lineRead(Array(0..<25))
    #expect(!flow.wantsReading)
    #expect(send(&flow, atMost: 1) == [Array(0..<10)])
    flow.channelFilled()
    #expect(flow.nextSDU == nil && !flow.wantsReading)
    flow.channelDrained()
    flow.sendMTU = 8
    #expect(send(&flow) == [Array(10..<18), Array(18..<25)])
    #expect(flow.wantsReading)
  }

  @Test("A line that accepts no more data holds back the central until it has drained")
  func busyLine() {
    var flow = open()
    flow.received([1])
    #expect(flow.takeIncoming() == [1])
    flow.lineWrote(isBusy: true)
    #expect(flow.wantsHold && flow.wantsWriting && flow.wantsReading)
    flow.lineWrote(isBusy: false)
    #expect(!flow.wantsHold && !flow.wantsWriting)
  }

  @Test("The line's end closes the channel after all data from the line, and data that arrives until then is written")
  func lineEnds() {
    var flow = open()
    flow.lineRead([1, 2, 3])
    flow.lineEnded()
    #expect(!flow.wantsChannelClosed && !flow.wantsReading)
    #expect(send(&flow) == [[1, 2, 3]])
    #expect(flow.wantsChannelClosed && !flow.wantsLineClosed)
    flow.received([9])
    #expect(flow.takeIncoming() == [9])
    flow.channelEnded()
    #expect(!flow.wantsChannelClosed && flow.wantsLineClosed)
  }

  @Test("The channel's end closes the line after all received data")
  func channelEnds() {
    var flow = open()
    flow.lineRead([1, 2, 3])
    flow.received([4])
    flow.channelEnded()
    #expect(flow.nextSDU == nil && !flow.wantsReading && !flow.wantsLineClosed)
    _ = flow.takeIncoming()
    flow.lineWrote(isBusy: true)
    #expect(!flow.wantsLineClosed)
    flow.lineWrote(isBusy: false)
    #expect(flow.wantsLineClosed)
  }

  @Test("A channel that ends before there is a line waits for it, with the received data")
  func endsEarly() {
    var flow = BridgeFlow(sendMTU: 10)
    flow.received([1])
    flow.channelEnded()
    #expect(!flow.wantsLineClosed)
    flow.lineOpened()
    #expect(flow.takeIncoming() == [1])
    flow.lineWrote(isBusy: false)
    #expect(flow.wantsLineClosed)
  }

  @Test("A line that accepts no more data blocks nothing, and is read to its end")
  func deafLine() {
    var flow = open()
    flow.received([1])
    flow.lineRefused()
    #expect(flow.takeIncoming() == [] && !flow.wantsHold && flow.wantsReading)
    flow.received([2])
    #expect(flow.takeIncoming() == [])
  }

  @Test("Without a line both sides are closed")
  func noLine() {
    var flow = BridgeFlow(sendMTU: 10)
    flow.received([1])
    flow.lineRefused()
    flow.lineEnded()
    #expect(flow.wantsChannelClosed && !flow.wantsHold)
    flow.channelEnded()
    #expect(flow.wantsLineClosed)
  }

  @Test("Data for a read-only line is discarded")
  func readOnly() {
    var flow = BridgeFlow(sendMTU: 10, isReadOnly: true)
    #expect(!flow.wantsHold)
    flow.received([1])
    flow.lineOpened()
    #expect(flow.takeIncoming() == [] && flow.wantsReading)
  }
}
