import BLECore

// What an observer of the air is told.
extension Air {
  /// Links that slept because nobody was watching are played from now on.
  func wakeForObserver() {
    guard observer != nil else { return }
    for link in links.values.sorted(by: { $0.id < $1.id }) { wake(link) }
  }
}
