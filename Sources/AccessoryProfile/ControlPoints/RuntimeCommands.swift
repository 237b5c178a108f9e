import BLEATT
import BLECore
import BLEGATT

extension ProfileRuntime {
  /// Performs a command that a client wrote to a control point.
  mutating func perform(
    _ written: [UInt8], on characteristic: CharacteristicIndex, _ controlPoint: ControlPoint, for client: ClientID,
    at now: Instant
  ) -> WriteAnswer {
    var turn = CommandTurn(
      characteristic: characteristic, controlPoint: controlPoint, client: client, now: now, written: written)
    if let refusal = controlPoint.unsubscribed,
      !session(of: client).takes(controlPoint.answer, isIndication: controlPoint.isIndicated)
    {
      return refuse(turn, written, refusal)
    }
    let isAllowed = controlPoint.commands.contains { $0.opcode == written.first && $0.isPossibleWhileBusy }
    if let refusal = controlPoint.busy, !isAllowed, session(of: client).busy.contains(characteristic) {
      return refuse(turn, written, refusal)
    }
    guard session(of: client).outbox.count < ClientSession.limit else {
      return WriteAnswer(error: .insufficientResources)
    }
    let received: ReceivedCommand
    do throws(ReceivedCommand.Fault) {
      received = try ReceivedCommand(written, of: controlPoint)
    } catch {
      switch error {
      case .unknownOpcode: return refuse(turn, written, controlPoint.unknown)
      case .malformed: return refuse(turn, written, controlPoint.malformed)
      case .refused(let refusal): return refuse(turn, written, refusal)
      }
    }
    for check in received.command.checks where !holds(check.condition, received, &turn) {
      return refuse(turn, written, check.refusal)
    }
    var actions: [ApplicationAction] = []
    // The response is built from the state before the effects, which may remove the record that it contains.
    let parts = received.command.response ?? controlPoint.response ?? []
    let response = octets(parts, received, turn, opcode: received.command.opcode, result: controlPoint.success)
    for effect in received.command.effects { perform(effect, written, received, turn, &actions) }
    if !parts.isEmpty { respond(response, turn) }
    return WriteAnswer(actions: actions)
  }

  // MARK: Checks

  private mutating func holds(
    _ condition: ControlPoint.Condition, _ received: ReceivedCommand, _ turn: inout CommandTurn
  ) -> Bool {
    switch condition {
    case .oneOf(let parameter, let values): return received.values[parameter].map { values.contains($0) } ?? false
    case .within(let parameter, let range):
      return received.values[parameter]?.number.map { range.contains($0) } ?? false
    case .row(let name, let parameter):
      guard let table = tables.first(where: { $0.id == name }), let key = received.values[parameter],
        let row = table.row(key)
      else { return false }
      turn.found = (table, key, row)
      return true
    case .filled(let column): return turn.isFilled(column)
    case .filledColumn(let parameter):
      guard case .string(let column) = received.values[parameter] else { return false }
      return turn.isFilled(column)
    case .value(let characteristic, let value):
      return typedValue(of: characteristic, at: turn.now) == value
    case .expression(let condition):
      return holds(condition, context(received, turn), at: turn.now, place: "require")
    case .found(let parameter): return !rows(.chosen(parameter: parameter), received).rows.isEmpty
    case .channel(let name): return channels.isOpen(name, on: turn.client)
    case .subscribed(let characteristic):
      return session(of: turn.client).configurations[characteristic] != nil
    }
  }

  /// Returns the context of a command's expressions.
  private func context(_ received: ReceivedCommand?, _ turn: CommandTurn) -> RuleContext {
    RuleContext(
      client: turn.client, writer: turn.characteristic, written: turn.written, parameters: received?.values ?? [:])
  }

  // MARK: Effects

  private mutating func perform(
    _ effect: ControlPoint.Effect, _ written: [UInt8], _ received: ReceivedCommand, _ turn: CommandTurn,
    _ actions: inout [ApplicationAction]
  ) {
    switch effect {
    case .write(let effect):
      perform(effect, context(received, turn), turn.now, &actions)
    case .assign(let target, let field, let parameter):
      guard let value = received.values[parameter] else { return }
      // A value that does not fit leaves the target unchanged: formats were compared when the profile was loaded.
      actions += (try? assign(value, to: target, field: field, at: turn.now)) ?? []
    case .removeRow:
      if let found = turn.found { _ = try? change(found.table.id, .remove(found.key), at: turn.now) }
    case .clear(let records):
      let (table, rows) = rows(records, received)
      guard let table else { return }
      for row in rows {
        if let key = row[table.key] { _ = try? change(table.id, .remove(key), at: turn.now) }
      }
    case .send(let records, let target):
      let (table, rows) = rows(records, received)
      let index = sessionIndex(of: turn.client)
      // Some records are indicated, for example those of the Pulse Oximeter Service (1.0.1 3.4).
      let isIndication = behaviors[target.position].notify == nil
      guard let table, sessions[index].takes(target, isIndication: isIndication) else { return }
      for row in rows {
        sessions[index].send(
          OutgoingValue(
            characteristic: target, value: table.octets(of: row), isIndication: isIndication,
            origin: turn.characteristic))
      }
    case .stop: sessions[sessionIndex(of: turn.client)].stop(turn.characteristic)
    }
  }

  /// Returns the present records and their table.
  private func rows(
    _ records: ControlPoint.Records, _ received: ReceivedCommand?
  ) -> (table: RecordTable?, rows: [RecordTable.Record]) {
    let chosen: (table: String, selection: RecordSelection)?
    switch records {
    case .all(let table): chosen = (table, .all)
    case .chosen(let parameter): chosen = received?.selections[parameter]
    }
    guard let chosen, let table = tables.first(where: { $0.id == chosen.table }) else { return (nil, []) }
    return (table, chosen.selection.rows(of: table))
  }

  // MARK: Responses

  private mutating func refuse(
    _ turn: CommandTurn, _ written: [UInt8], _ refusal: ControlPoint.Refusal
  ) -> WriteAnswer {
    switch refusal {
    case .error(let code): return WriteAnswer(error: code)
    case .result(let result):
      if let parts = turn.controlPoint.response {
        respond(octets(parts, nil, turn, opcode: written.first ?? 0, result: result), turn)
      }
      return .accepted
    }
  }

  private mutating func octets(
    _ parts: [ControlPoint.ResponsePart], _ received: ReceivedCommand?, _ turn: CommandTurn, opcode: UInt8,
    result: UInt8
  ) -> [UInt8] {
    var octets: [UInt8] = []
    for part in parts {
      switch part {
      case .octets(let fixed): octets += fixed
      case .opcode: octets.append(opcode)
      case .result: octets.append(result)
      case .parameter(let name): octets += self.octets(of: name, received, turn)
      case .value(let characteristic): octets += presentValue(of: characteristic, at: turn.now) ?? []
      case .column(let column):
        if let found = turn.found, let format = found.table.format(of: column),
          let value = found.table.value(column, in: found.row)
        {
          octets += (try? format.encode(value)) ?? []
        }
      case .computed(let expression):
        do throws(ExpressionError) {
          octets += try compute(expression, context(received, turn), at: turn.now).octets()
        } catch {
          book.report(.failed(place: expression.text, reason: error.reason))
        }
      case .count(let records):
        let count = rows(records, received).rows.count
        octets += [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
      }
    }
    return octets
  }

  private func octets(of parameter: String, _ received: ReceivedCommand?, _ turn: CommandTurn) -> [UInt8] {
    guard let received else { return [] }
    let kind = received.command.parameters.first { $0.name == parameter }?.kind
    if case .attributes = kind { return turn.found.map { received.answers(from: $0.row, of: $0.table) } ?? [] }
    return received.octets[parameter] ?? []
  }

  private mutating func respond(_ octets: [UInt8], _ turn: CommandTurn) {
    let controlPoint = turn.controlPoint
    let index = sessionIndex(of: turn.client)
    guard sessions[index].takes(controlPoint.answer, isIndication: controlPoint.isIndicated) else { return }
    let isSent = sessions[index].send(
      OutgoingValue(
        characteristic: controlPoint.answer, value: octets, isIndication: controlPoint.isIndicated,
        isSplit: !controlPoint.isIndicated, controlPoint: turn.characteristic))
    if isSent { sessions[index].busy.insert(turn.characteristic) }
    updateMessages()
  }
}

/// The state of one command.
private struct CommandTurn {
  /// The characteristic that was written.
  let characteristic: CharacteristicIndex
  let controlPoint: ControlPoint
  let client: ClientID
  let now: Instant
  let written: [UInt8]
  /// The record that a check found.
  var found: (table: RecordTable, key: ProfileValue, row: RecordTable.Record)?

  /// Returns whether a column of the record contains text.
  func isFilled(_ column: String) -> Bool {
    found.map { !$0.table.text(of: column, in: $0.row).isEmpty } ?? false
  }
}
