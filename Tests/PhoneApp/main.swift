import CoreBluetoothUnderstudy

let app = TestApp()

// Everything else happens on the main queue, as in an app.
Thread.detachNewThread {
  while let line = readLine() {
    DispatchQueue.main.async { app.perform(line) }
  }
  DispatchQueue.main.async { exit(0) }
}
RunLoop.main.run()
