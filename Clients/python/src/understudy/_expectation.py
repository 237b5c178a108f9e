"""A test's expectations of events, and their results."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from understudy._event import Event
from understudy._journal import Journal, transcript
from understudy._kinds import KINDS, fields_of, suggestion
from understudy._steps import Plan, Wait
from understudy._values import from_json
from understudy.errors import ExpectationFailed

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

Mark = int | Event
"""A position in the events: the number of events before it, or the event before it."""
# The maximum number of events in the report of a failure.
_SHOWN = 200


class Match:
    """An expected event: its kind, and the values of some of its fields.

    A field matches if it is equal; an object if all given keys match; octets (`bytes`) if they equal the event's `hex`
    (or its `value`, if that contains octets); a function if it returns true. `where` is a function of the whole event. A
    field that a known kind does not have is an error, because nothing could ever match it. So is an unknown kind, except
    with `where`: a program that is newer than this client may have it.
    """

    def __init__(self, kind: str, /, where: Callable[[Event], bool] | None = None, **fields: Any) -> None:
        known = fields_of(kind)
        if known is None and where is None:
            raise ValueError(f"there is no event {kind!r}{suggestion(kind, KINDS)}; docs/events.md has them all")
        if known is not None and (unknown := [name for name in fields if name not in known]):
            raise TypeError(
                f"{kind!r} has no {', '.join(unknown)} (known: {', '.join(sorted(known))}; with `where` for newer ones)"
            )
        self.kind, self.where = kind, where
        # Fields that are None are not compared. A characteristic may be given as an object.
        self.fields = {name: getattr(value, "id", value) for name, value in fields.items() if value is not None}

    def __call__(self, event: Event) -> bool:
        return event.kind == self.kind and not self.differences(event) and (self.where is None or self.where(event))

    def differences(self, event: Event) -> list[str]:
        """Returns the fields of an event of this kind that do not match."""
        return [name for name, wanted in self.fields.items() if not _fits(event, name, wanted)]

    def __str__(self) -> str:
        fields = [f"{name}={value!r}" for name, value in self.fields.items()]
        fields += [] if self.where is None else ["where …"]
        return f"{self.kind!r}" + (f" with {', '.join(fields)}" if fields else "")


def _fits(event: Event, name: str, wanted: Any) -> bool:
    if isinstance(wanted, (bytes, bytearray)):
        return event.octets == bytes(wanted)
    has = from_json(event.raw.get(name, getattr(event, name, None)))
    return bool(wanted(has)) if callable(wanted) else _equal(has, wanted)


def _equal(has: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and isinstance(has, Mapping):
        return all(key in has and _equal(has[key], value) for key, value in wanted.items())
    if isinstance(wanted, float) and isinstance(has, (int, float)):
        return math.isclose(has, wanted, rel_tol=1e-9)
    if isinstance(wanted, (list, tuple)) and isinstance(has, (list, tuple)):
        return len(has) == len(wanted) and all(map(_equal, has, wanted))
    return has == wanted and isinstance(has, bool) == isinstance(wanted, bool)


@dataclass
class Witness:
    """The events of a journal, or of one accessory in it, with the position of the last expected event."""

    journal: Journal
    accessory: str | None = None
    position: int = 0
    """The start of the next search: after the last expected event."""
    ending: Callable[[], str] = field(default=lambda: "", repr=False)
    """Describes the end of the source."""

    def sees(self, event: Event) -> bool:
        return self.accessory is None or event.accessory in (None, self.accessory)

    def events(self, since: Mark = 0) -> list[Event]:
        """Returns the events from that position on."""
        return [event for event in self.journal.events[self.place(since) :] if self.sees(event)]

    def place(self, mark: Mark | None) -> int:
        if mark is None:
            return self.position
        return mark.index + 1 if isinstance(mark, Event) else mark

    def expect(self, matches: Sequence[Match], within: float, since: Mark | None) -> Plan[list[Event]]:
        """Returns an event for each match; the events may come in any order, and each counts for one match only."""
        begin, now = self.place(since), time.monotonic()
        search = _Search(self, begin, matches)
        found = yield from Wait.plan(self.journal, search, now + within)
        if found is None:
            missing = [match for match, event in zip(matches, search.found) if event is None]
            sentence = f"expected {' and '.join(map(str, missing))} within {within:g} s, and it did not come"
            if self.journal.over:
                sentence = f"expected {' and '.join(map(str, missing))}; {self.ending()}"
            raise ExpectationFailed(sentence + self._nearest(missing, begin), self.transcript(begin, search.found))
        self.position = max(self.position, 1 + max(event.index for event in found))
        return found

    def expect_none(self, match: Match, within: float, since: Mark | None) -> Plan[None]:
        """Fails if such an event comes from that position on, until `within` seconds from now."""
        begin, now = self.place(since), time.monotonic()
        found = yield from Wait.plan(self.journal, _Search(self, begin, [match]), now + within)
        if found is not None:
            raise ExpectationFailed(f"expected no {match}, and it came", self.transcript(begin, found))

    def transcript(self, since: Mark = 0, marked: Sequence[Event | None] = ()) -> str:
        """Returns the events from that position on, one per line, with the seconds since the first event of all."""
        happened = self.events(since)
        head = f"what happened ({len(happened)} events"
        head += f", the last {_SHOWN} of them):" if len(happened) > _SHOWN else "):"
        begin = self.journal.events[0].arrived if self.journal.events else None
        indices = frozenset(event.index for event in marked if event is not None)
        return f"{head}\n{transcript(happened[-_SHOWN:], begin, indices)}"

    def _nearest(self, missing: Sequence[Match], begin: int) -> str:
        """Describes how the events of the expected kind differ from the expectation."""
        lines = []
        for match in missing:
            same = [event for event in self.events(begin) if event.kind == match.kind]
            for event in same[-3:]:
                names = match.differences(event)
                has = ", ".join(f"{name} is {event.get(name, getattr(event, name, None))!r}" for name in names)
                lines.append(f"\n  not this {event.kind!r}: {has or 'another expectation has it, or `where` says no'}")
        return "".join(lines)


class _Search:
    """Checks each event once, and returns the events when every match has one."""

    def __init__(self, witness: Witness, begin: int, matches: Sequence[Match]) -> None:
        self.witness, self.next, self.matches = witness, begin, matches
        self.found: list[Event | None] = [None] * len(matches)

    def __call__(self) -> list[Event] | None:
        happened = self.witness.journal.events
        while self.next < len(happened) and None in self.found:
            event = happened[self.next]
            self.next += 1
            if not self.witness.sees(event):
                continue
            for place, match in enumerate(self.matches):
                if self.found[place] is None and match(event):
                    self.found[place] = event
                    break
        found = [event for event in self.found if event is not None]
        return found if len(found) == len(self.matches) else None


class Waiting:
    """The expectations of everything that has a witness."""

    witness: Witness

    def expect(
        self,
        kind: str,
        /,
        *,
        within: float = 3.0,
        since: Mark | None = None,
        where: Callable[[Event], bool] | None = None,
        **fields: Any,
    ) -> Plan[Event]:
        """Waits for an event of that kind with the given fields, and returns it.

        The search starts after the last expected event (at first, after the start), so that nothing is missed between
        two calls; expect events in the order in which they happen. `since` is a mark or an event to start from instead.
        `Match` describes how fields are compared. Raises `ExpectationFailed` with a transcript after `within` seconds,
        or when the program ends.
        """
        (event,) = yield from self._expect([Match(kind, where, **fields)], within, since)
        return event

    def expect_all(self, *matches: Match, within: float = 3.0, since: Mark | None = None) -> Plan[list[Event]]:
        """Waits for several events in any order, and returns them in the order of the matches."""
        return (yield from self._expect(matches, within, since))

    def _expect(self, matches: Sequence[Match], within: float, since: Mark | None) -> Plan[list[Event]]:
        try:
            return (yield from self.witness.expect(matches, within, since))
        except ExpectationFailed as failure:
            doubts = yield from self._doubts(matches)
            raise ExpectationFailed(failure.sentence + doubts, failure.transcript) from None

    def _doubts(self, matches: Sequence[Match]) -> Plan[str]:
        """Describes mistakes that make an expectation impossible to meet."""
        yield from ()
        return ""

    def expect_none(
        self,
        kind: str,
        /,
        *,
        within: float = 0.5,
        since: Mark | None = None,
        where: Callable[[Event], bool] | None = None,
        **fields: Any,
    ) -> Plan[None]:
        """Fails if such an event comes between the last expected event and `within` seconds from now.

        As for `expect`, a characteristic that does not exist, and has had no events, is an error, because no event
        could ever come. To name a removed characteristic, use `where`.
        """
        match = Match(kind, where, **fields)
        yield from self.witness.expect_none(match, within, since)
        name = match.fields.get("characteristic")
        if any(event.get("characteristic") == name for event in self.witness.events()):
            return
        if doubts := (yield from self._doubts([match])):
            raise ExpectationFailed(
                f"expected no {match}, and it cannot come" + doubts, self.witness.transcript(self.witness.place(since))
            )
