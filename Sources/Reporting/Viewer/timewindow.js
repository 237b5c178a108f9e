// The part of a case's time that is in view, and the chosen happening.

const shortest = 20_000;

/** A window on the time from `begin` to `end`, in nanoseconds. It dispatches the events `moved` and `chosen`. */
export class TimeWindow extends EventTarget {
  constructor(begin, end) {
    super();
    this.begin = begin;
    this.end = Math.max(end, begin + shortest);
    this.from = this.begin;
    this.to = this.end;
    this.chosen = null;
  }

  get span() { return this.to - this.from; }

  /** Shows a window of this length around a time, shifted if it would leave the case. */
  show(center, span) {
    const length = Math.min(this.end - this.begin, Math.max(shortest, span));
    this.from = Math.min(Math.max(this.begin, center - length / 2), this.end - length);
    this.to = this.from + length;
    this.dispatchEvent(new Event("moved"));
  }

  /** Zooms in (a factor below 1) or out, so that a time keeps its place. */
  zoom(factor, about = this.chosen?.time ?? (this.from + this.to) / 2) {
    const time = about < this.from || about > this.to ? (this.from + this.to) / 2 : about;
    const length = Math.min(this.end - this.begin, Math.max(shortest, this.span * factor));
    const part = (time - this.from) / this.span;
    this.show(time + (0.5 - part) * length, length);
  }

  /** Moves by a part of the window. */
  pan(part) { this.show((this.from + this.to) / 2 + part * this.span, this.span); }

  /** Chooses a happening, and brings it into view. */
  choose(happening) {
    this.chosen = happening;
    if (happening && (happening.time < this.from || happening.time > this.to)) this.show(happening.time, this.span);
    this.dispatchEvent(new Event("chosen"));
  }
}
