import BLECore

extension ProfileLoader {
  private static let sleepTimes = Duration.milliseconds(100)...Duration.seconds(31_536_000)

  /// Loads the times at which the accessory falls asleep and wakes up.
  mutating func sleepPlan(_ node: SyntaxNode?) -> SleepPlan {
    var plan = SleepPlan()
    guard let node, let keys = keys(node, Language.sleep) else { return plan }
    plan.startsAsleep = keys["start"].flatMap { oneOf($0, Language.sleep.words(of: "start")) } == "asleep"
    plan.delay = duration(keys, "after")
    plan.wakeInterval = duration(keys, "wakes-every")
    if let every = keys["wakes-every"], let interval = plan.wakeInterval {
      if keys["after"] == nil {
        error(every, "it would stay awake the first time; 'after' must limit the time without a connection")
      } else if let delay = plan.delay, delay >= interval {
        error(
          every, "it would never sleep, because it wakes before the \(Durations.text(delay)) of 'after' have passed")
      }
    }
    if plan == SleepPlan(), keys["start"] == nil, keys["after"] == nil {
      error(node, "'after', 'start' or both are missing: they say when it sleeps")
    }
    return plan
  }
}
