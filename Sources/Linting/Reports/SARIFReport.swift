import AccessoryProfile

/// Reports as SARIF 2.1.0 (OASIS), which GitHub's code scanning and editors read.
package enum SARIFReport {
  /// Returns one run with the findings of all profiles. Deviations with a reason are suppressed results.
  package static func json(_ reports: [LintReport], invalid: [Diagnostic], version: String) -> ProfileValue {
    let results =
      reports.flatMap { report in
        report.findings.map { result($0, suppressed: nil) }
          + report.allowed.flatMap { allowed in allowed.findings.map { result($0, suppressed: allowed.reason) } }
      } + invalid.map(result)
    let driver: [String: ProfileValue] = [
      "name": .string("understudy lint"), "semanticVersion": .string(version),
      "rules": .array(LintRule.all.map(rule) + [invalidRule]),
    ]
    return .object([
      "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
      "runs": .array([
        .object([
          "tool": .object(["driver": .object(driver)]), "columnKind": .string("unicodeCodePoints"),
          "results": .array(results),
        ])
      ]),
    ])
  }

  /// The rule for invalid profiles, whose errors `check` reports, too.
  private static let invalidRule = ProfileValue.object([
    "id": .string("invalid-profile"),
    "shortDescription": text("The profile is valid."),
  ])

  private static func rule(_ rule: LintRule) -> ProfileValue {
    .object([
      "id": .string(rule.id), "shortDescription": text(rule.title), "fullDescription": text(rule.why),
      "help": text("\(rule.why) Source: \(rule.source.description)"),
      "defaultConfiguration": .object(["level": .string(rule.severity.rawValue)]),
      "properties": .object(["tags": .array(rule.platforms.map { .string($0.rawValue) })]),
    ])
  }

  private static func result(_ finding: LintFinding, suppressed reason: String?) -> ProfileValue {
    var fields: [String: ProfileValue] = [
      "ruleId": .string(finding.rule.id), "level": .string(finding.rule.severity.rawValue),
      "ruleIndex": .int(Int64(LintRule.all.firstIndex { $0.id == finding.rule.id } ?? 0)),
      "message": text("\(finding.message). Do: \(finding.remedy)."),
      "locations": locations(finding.file, finding.line, finding.column),
      "partialFingerprints": fingerprint(finding.rule.id, finding.sourceLine),
    ]
    if let reason {
      fields["suppressions"] = .array([
        .object(["kind": .string("inSource"), "justification": .string(reason)])
      ])
    }
    return .object(fields)
  }

  private static func result(_ diagnostic: Diagnostic) -> ProfileValue {
    .object([
      "ruleId": .string("invalid-profile"), "ruleIndex": .int(Int64(LintRule.all.count)),
      "level": .string(diagnostic.severity.rawValue), "message": text(diagnostic.message),
      "locations": locations(diagnostic.file, diagnostic.line, diagnostic.column),
      "partialFingerprints": fingerprint(diagnostic.message, diagnostic.sourceLine),
    ])
  }

  private static func locations(_ file: String, _ line: Int, _ column: Int) -> ProfileValue {
    .array([
      .object([
        "physicalLocation": .object([
          "artifactLocation": .object(["uri": .string(uri(file))]),
          "region": .object(["startLine": .int(Int64(line)), "startColumn": .int(Int64(column))]),
        ])
      ])
    ])
  }

  /// Returns the hash by which GitHub tells results apart: FNV-1a (64 bits) of the rule and the text of the line, which stay the same when
  /// lines move.
  private static func fingerprint(_ rule: String, _ line: String) -> ProfileValue {
    let hash = (rule + "\0" + line).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return .object(["understudy/v1": .string(String(hash, radix: 16))])
  }

  /// Returns a path as a URI reference (RFC 3986), with everything escaped but unreserved characters and slashes.
  private static func uri(_ path: String) -> String {
    let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return path.utf8.reduce(into: path.hasPrefix("/") ? "file://" : "") { result, octet in
      let scalar = Unicode.Scalar(octet)
      let isKept =
        octet < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "-._~/".unicodeScalars.contains(scalar)
      result += isKept ? String(Character(scalar)) : "%" + [octet].uppercaseHexadecimalText
    }
  }

  private static func text(_ text: String) -> ProfileValue { .object(["text": .string(text)]) }
}

extension [UInt8] {
  /// The octets as hexadecimal digits in upper case.
  fileprivate var uppercaseHexadecimalText: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }
}
