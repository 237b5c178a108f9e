import BLECore
import Glibc
import Testing
import Transport

@Suite("Line")
struct LineTests {
  @Test("Octets that the kernel does not accept at once are queued, and all arrive in order")
  func partialWrites() throws {
    let (near, far) = try linePair()
    var size: CInt = 4096
    #expect(setsockopt(near.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size)) == 0)
    let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var received = OctetBuffer()
    var position = 0
    var sawQueue = false
    while received.count < sent.count {
      if position < sent.count {
        let end = min(position + 3001, sent.count)
        switch near.write(sent[position..<end].span) {
        case .sent: break
        case .queued(let count):
          sawQueue = true
          #expect(count == near.pendingCount && near.interest == [.readable, .writable])
        case let outcome: Issue.record("\(outcome)")
        }
        position = end
      } else {
        try wait(for: .writable, on: near.descriptor)
        _ = near.flush()
      }
      // Reads less often than it writes, so that the queue grows and shrinks.
      if position % 5 == 0 || position == sent.count { _ = far.read(into: &received) }
      if position % 7 == 0 { _ = near.flush() }
    }
    #expect(sawQueue)
    #expect(received.copy() == sent)
    #expect(!near.hasPending && near.interest == .readable && near.flush() == .sent)
  }

  @Test("Beyond the limit nothing is accepted, and accepted octets stay whole")
  func limit() throws {
    let (near, far) = try linePair()
    near.pendingLimit = 1000
    let large = [UInt8](repeating: 1, count: 4_000_000)
    guard case .queued(let waiting) = near.write(large.span) else {
      Issue.record("a socket took four million octets")
      return
    }
    #expect(waiting > 1000)
    #expect(near.write([2, 2, 2].span) == .overLimit)
    #expect(near.pendingCount == waiting)
    var received = OctetBuffer()
    while received.count < large.count {
      _ = try readWaiting(far, into: &received)
      _ = near.flush()
    }
    #expect(near.write([3].span) == .sent)
    #expect(try read(1, from: far) == [3])
    #expect(received.copy() == large)
  }

  @Test("Reading and writing report that the peer is gone, without SIGPIPE")
  func peerGone() throws {
    let (near, far) = try linePair()
    #expect(far.write([1, 2, 3].span) == .sent)
    far.close()
    #expect(far.descriptor == -1)
    var buffer = OctetBuffer()
    #expect(near.read(into: &buffer) == .octets(3))
    #expect(near.read(into: &buffer) == .closed)
    #expect(near.write([1].span) == .closed)
    #expect(buffer.copy() == [1, 2, 3])
  }

  @Test("Nothing to read is not an end, and nothing to write makes no call")
  func nothing() throws {
    let (near, far) = try linePair()
    var buffer = OctetBuffer()
    #expect(near.read(into: &buffer) == .wouldBlock)
    #expect(buffer.copy() == [])
    #expect(near.write(buffer) == .sent)
    far.close()
  }

  @Test("A closed line fails instead of touching another's descriptor")
  func closed() throws {
    let (near, _) = try linePair()
    near.close()
    near.close()
    var buffer = OctetBuffer()
    #expect(near.read(into: &buffer) == .failed(EBADF))
    #expect(near.write([1].span) == .failed(EBADF))
  }

  @Test("The descriptor is closed when the line is released")
  func closesOnDeinit() throws {
    let (near, far) = try socketPair()
    do {
      let line = Line(adopting: near)
      #expect(line.descriptor == near)
    }
    let peer = Line(adopting: far)
    var buffer = OctetBuffer()
    #expect(try readWaiting(peer, into: &buffer) == .closed)
  }
}
