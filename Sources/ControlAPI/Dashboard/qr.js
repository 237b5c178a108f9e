// QR codes (ISO/IEC 18004), as far as a name and an address need them: octets, error correction M, versions 1 to 10.
// The mask is the one with the lowest penalty.

import { svg } from "./dom.js";

// For each version at level M: the error correction codewords of a block, and how many blocks have how many data codewords.
const levels = [
  [10, [
    [1, 16]
  ]],
  [16, [
    [1, 28]
  ]],
  [26, [
    [1, 44]
  ]],
  [18, [
    [2, 32]
  ]],
  [24, [
    [2, 43]
  ]],
  [16, [
    [4, 27]
  ]],
  [18, [
    [4, 31]
  ]],
  [22, [
    [2, 38],
    [2, 39]
  ]],
  [22, [
    [3, 36],
    [2, 37]
  ]],
  [26, [
    [4, 43],
    [1, 44]
  ]],
];
const alignments = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50]
];

// Arithmetic in GF(256) with 0x11D.
const powers = new Uint8Array(510),
  logs = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  powers[exponent] = powers[exponent + 255] = value;
  logs[value] = exponent;
  value = value << 1 ^ (value & 0x80 ? 0x11D : 0);
}
const product = (a, b) => a && b ? powers[logs[a] + logs[b]] : 0;

function remainder(data, count) {
  let generator = [1];
  for (let root = 0; root < count; root += 1) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((factor, place) => {
      next[place] ^= factor;
      next[place + 1] ^= product(factor, powers[root]);
    });
    generator = next;
  }
  const rest = [...data, ...new Array(count).fill(0)];
  for (let place = 0; place < data.length; place += 1) {
    const factor = rest[place];
    if (factor)
      for (let index = 0; index <= count; index += 1) rest[place + index] ^= product(generator[index], factor);
  }
  return rest.slice(data.length);
}

function codewords(octets, version) {
  const [correction, groups] = levels[version - 1];
  const capacity = groups.reduce((sum, [count, size]) => sum + count * size, 0);
  const bits = [];
  const add = (value, width) => { for (let bit = width - 1; bit >= 0; bit -= 1) bits.push(value >> bit & 1); };
  add(4, 4);
  add(octets.length, version < 10 ? 8 : 16);
  for (const octet of octets) add(octet, 8);
  add(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let start = 0; start < bits.length; start += 8) data.push(bits.slice(start, start + 8).reduce((value, bit) =>
    value << 1 | bit, 0));
  for (let pad = 0xEC; data.length < capacity; pad ^= 0xEC ^ 0x11) data.push(pad);
  const blocks = [];
  let start = 0;
  for (const [count, size] of groups) {
    for (let block = 0; block < count; block += 1, start += size) blocks.push(data.slice(start, start + size));
  }
  const corrections = blocks.map((block) => remainder(block, correction));
  const interleaved = (lists) => {
    const result = [];
    for (let place = 0; place < Math.max(...lists.map((list) => list.length)); place += 1) {
      for (const list of lists)
        if (place < list.length) result.push(list[place]);
    }
    return result;
  };
  return [...interleaved(blocks), ...interleaved(corrections)];
}

// The modules that are neither data nor error correction: finders, timing, alignment, and the areas of format and version.
function frame(version) {
  const size = 17 + 4 * version;
  const modules = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (row, column, dark) => { if (row >= 0 && row < size && column >= 0 && column < size) modules[row][
      column] = dark; };
  for (const [top, left] of [
      [0, 0],
      [0, size - 7],
      [size - 7, 0]
    ]) {
    for (let row = -1; row <= 7; row += 1) {
      for (let column = -1; column <= 7; column += 1) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
        set(top + row, left + column, ring !== 2 && ring < 4);
      }
    }
  }
  for (let place = 8; place < size - 8; place += 1) modules[6][place] = modules[place][6] = place % 2 === 0;
  const centers = alignments[version - 1];
  for (const row of centers) {
    for (const column of centers) {
      if (modules[row][column] !== null && !(row === 6 || column === 6)) continue;
      const isAtFinder = (row === 6 && (column === 6 || column === size - 7)) || (row === size - 7 && column === 6);
      if (isAtFinder) continue;
      for (let dy = -2; dy <= 2; dy += 1) {
        for (let dx = -2; dx <= 2; dx += 1) modules[row + dy][column + dx] = Math.max(Math.abs(dy), Math.abs(dx)) !== 1;
      }
    }
  }
  for (let place = 0; place < 9; place += 1) {
    if (modules[8][place] === null) modules[8][place] = false;
    if (modules[place][8] === null) modules[place][8] = false;
  }
  for (let place = 0; place < 8; place += 1) modules[8][size - 1 - place] = modules[size - 1 - place][8] = false;
  modules[size - 8][8] = true;
  if (version >= 7) writeVersion(modules, version);
  return modules;
}

function checked(value, width, polynomial, length) {
  let rest = value << length;
  for (let bit = width + length - 1; bit >= length; bit -= 1)
    if (rest >> bit & 1) rest ^= polynomial << (bit - length);
  return value << length | rest;
}

function writeVersion(modules, version) {
  const bits = checked(version, 6, 0x1F25, 12),
    size = modules.length;
  for (let place = 0; place < 18; place += 1) {
    const dark = (bits >> place & 1) === 1,
      row = Math.floor(place / 3),
      column = size - 11 + place % 3;
    modules[row][column] = modules[column][row] = dark;
  }
}

function writeFormat(modules, mask) {
  // Level M is 00.
  const bits = checked(mask, 5, 0x537, 10) ^ 0x5412,
    size = modules.length;
  for (let place = 0; place < 15; place += 1) {
    const dark = (bits >> place & 1) === 1;
    if (place < 6) modules[place][8] = dark;
    else if (place < 8) modules[place + 1][8] = dark;
    else modules[size - 15 + place][8] = dark;
    if (place < 8) modules[8][size - 1 - place] = dark;
    else modules[8][place === 8 ? 7 : 14 - place] = dark;
  }
}

const masks = [
  (row, column) => (row + column) % 2 === 0, (row) => row % 2 === 0, (row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0, (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 ===
  0,
  (row, column) => row * column % 2 + row * column % 3 === 0, (row, column) => (row * column % 2 + row * column % 3) %
  2 === 0,
  (row, column) => ((row + column) % 2 + row * column % 3) % 2 === 0,
];

function fillIn(modules, words, mask) {
  const size = modules.length,
    free = modules.map((row) => row.map((dark) => dark === null));
  let bit = 0;
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = up ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (!free[row][column]) continue;
        const dark = bit < words.length * 8 && (words[bit >> 3] >> (7 - bit % 8) & 1) === 1;
        modules[row][column] = dark !== masks[mask](row, column);
        bit += 1;
      }
    }
  }
}

function penalty(modules) {
  const size = modules.length,
    turned = modules.map((_, column) => modules.map((row) => row[column]));
  let points = 0;
  for (const line of [...modules, ...turned]) {
    const text = line.map((dark) => dark ? "1" : "0").join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    for (const pattern of ["10111010000", "00001011101"]) {
      for (let place = text.indexOf(pattern); place >= 0; place = text.indexOf(pattern, place + 1)) points += 40;
    }
  }
  for (let row = 1; row < size; row += 1) {
    for (let column = 1; column < size; column += 1) {
      const dark = modules[row][column];
      if (dark === modules[row - 1][column] && dark === modules[row][column - 1] && dark === modules[row - 1][column -
          1]) points += 3;
    }
  }
  const share = modules.flat().filter(Boolean).length / (size * size);
  return points + Math.floor(Math.abs(share * 100 - 50) / 5) * 10;
}

/** Returns the modules of a text, row by row; true is dark. Returns null if the text is longer than 213 octets. */
export function qrModules(text) {
  const octets = new TextEncoder().encode(text);
  const version = levels.findIndex(([, groups], index) =>
    octets.length + (index < 9 ? 2 : 3) <= groups.reduce((sum, [count, size]) => sum + count * size, 0)) + 1;
  if (version === 0) return null;
  const words = codewords(octets, version);
  let best = null,
    least = Infinity;
  for (let mask = 0; mask < 8; mask += 1) {
    const modules = frame(version);
    fillIn(modules, words, mask);
    writeFormat(modules, mask);
    const points = penalty(modules);
    if (points < least)[best, least] = [modules, points];
  }
  return best;
}

/** Makes a picture of a text as a QR code, with the quiet zone of four modules. */
export function qrPicture(text, label) {
  const modules = qrModules(text);
  if (!modules) return null;
  const size = modules.length + 8;
  const path = modules.flatMap((row, y) => row.map((dark, x) => dark ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("");
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
    svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: path, fill: "#000" }));
}
