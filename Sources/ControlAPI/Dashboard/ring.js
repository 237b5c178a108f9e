// Lists that never grow beyond their limit.

/** A list that keeps the newest `limit` elements and drops the oldest. */
export class Ring {
  #elements = [];
  #start = 0;

  constructor(limit) {
    this.limit = limit;
    /** How many elements were pushed in total. */
    this.total = 0;
  }

  get length() { return this.#elements.length; }

  push(element) {
    this.total += 1;
    if (this.#elements.length < this.limit) this.#elements.push(element);
    else {
      this.#elements[this.#start] = element;
      this.#start = (this.#start + 1) % this.limit;
    }
  }

  /** Returns the element at a place; 0 is the oldest. */
  at(index) { return this.#elements[(this.#start + index) % this.#elements.length]; }

  clear() { this.#elements = [];
    this.#start = 0; }

  *[Symbol.iterator]() { for (let index = 0; index < this.length; index += 1) yield this.at(index); }

  /** Returns that many of the newest elements, the oldest of them first. */
  newest(count) {
    const result = [];
    for (let index = Math.max(0, this.length - count); index < this.length; index += 1) result.push(this.at(index));
    return result;
  }
}

/** An amount per second, counted in buckets of one second by the time of each event. */
export class Rate {
  constructor(seconds = 60) {
    this.buckets = new Ring(seconds);
    this.total = 0;
  }

  add(time, amount) {
    const second = Math.floor(time);
    this.total += amount;
    const last = this.buckets.length ? this.buckets.at(this.buckets.length - 1) : null;
    if (last && last.time === second) last.value += amount;
    else {
      // Seconds in which nothing came are part of the picture too, as far as it shows them.
      if (last)
        for (let gap = Math.max(last.time + 1, second - this.buckets.limit); gap < second; gap += 1) this.buckets
          .push({ time: gap, value: 0 });
      this.buckets.push({ time: second, value: amount });
    }
  }

  /** Returns the amount of the last whole second before a time. */
  at(time) {
    const second = Math.floor(time) - 1;
    for (let index = this.buckets.length - 1; index >= 0; index -= 1) {
      const bucket = this.buckets.at(index);
      if (bucket.time <= second) return bucket.time === second ? bucket.value : 0;
    }
    return 0;
  }
}
