import CoreBluetoothUnderstudy
import Testing

@Suite("Errors") struct ErrorTests {
  @Test("An error has the text of its kind, or its own") func texts() {
    #expect(CBError(.connectionTimeout).localizedDescription == "The connection has timed out unexpectedly.")
    let given = CBError(.connectionTimeout, userInfo: [NSLocalizedDescriptionKey: "Too far away.", "distance": 90])
    #expect(given.localizedDescription == "Too far away." && given.userInfo["distance"] as? Int == 90)
    #expect(CBATTError(.readNotPermitted).userInfo[NSLocalizedDescriptionKey] as? String == "Read Not Permitted (0x02)")
    #expect(CBATTError(.success, userInfo: [NSLocalizedDescriptionKey: "Fine."]).localizedDescription == "Fine.")
  }

  @Test("Errors are caught by their codes, and have Core Bluetooth's domains and numbers") func errors() {
    do { throw CBError(.connectionTimeout) } catch CBError.connectionTimeout {} catch { Issue.record(error) }
    do { throw CBATTError(.readNotPermitted) } catch CBATTError.readNotPermitted {} catch { Issue.record(error) }
    let error = CBError(.peripheralDisconnected) as NSError
    #expect(error.domain == CBErrorDomain && error.code == 7)
    #expect((CBATTError(.insufficientEncryption) as NSError).code == 15)
    #expect((CBATTError(.invalidHandle) as any Error as? CBATTError)?.code == .invalidHandle)
  }

  @Test("Errors of the same kind are equal") func equality() {
    #expect(CBError(.notConnected) == CBError(.notConnected) && CBError(.notConnected) != CBError(.unknown))
    #expect(Set([CBError(.notConnected), CBError(.notConnected), CBError(.unknown)]).count == 2)
    #expect(CBError(.unknown) != CBError(.unknown, userInfo: ["distance": 90]))
    #expect(CBATTError(.invalidPdu) == CBATTError(.invalidPdu) && CBATTError(.invalidPdu) != CBATTError(.invalidOffset))
  }

  @Test("Each application error is a kind of its own", arguments: [0x80, 0x9F])
  func application(_ number: Int) throws {
    let code = try #require(CBATTError.Code(rawValue: number))
    let error: any Error = CBATTError(code)
    #expect((error as NSError).code == number && code ~= error)
  }
}
