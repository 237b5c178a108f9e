// The control API: requests and streams of events, with the token if one is required.

const tokenName = "understudy-token";

/** A refusal of the API. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let askForToken = null;
/** Sets the function that asks the user for the token. It returns a promise that resolves when there is a token. */
export function tokensFrom(ask) { askForToken = ask; }

let asking = null;
async function tokenWanted() {
  asking ??= askForToken().finally(() => { asking = null; });
  sessionStorage.setItem(tokenName, await asking);
}

async function fetchAuthorized(path, options) {
  while (true) {
    const token = sessionStorage.getItem(tokenName);
    const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit",
      redirect: "error" });
    if (answer.status !== 401) return answer;
    if (sessionStorage.getItem(tokenName) === token) sessionStorage.removeItem(tokenName);
    if (!sessionStorage.getItem(tokenName)) await tokenWanted();
  }
}

/** Makes a request below `/v1`. Returns the JSON of the answer, or throws `Refused`. */
export async function request(method, path, body) {
  let answer;
  try {
    answer = await fetchAuthorized(path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(0, "The program does not answer.");
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, json.error ?? `The program answered ${answer.status}.`);
  return json;
}

export const get = (path) => request("GET", path);
export const put = (path, body) => request("PUT", path, body);
export const post = (path, body) => request("POST", path, body);
export const remove = (path) => request("DELETE", path);

/** Does the same, but returns null when the resource does not exist: in another version of the program, or in this accessory. */
export async function getIfAny(path) {
  try {
    return await get(path);
  } catch (error) {
    if (error.status === 404 || error.status === 405) return null;
    throw error;
  }
}

/** Returns a segment of a path. */
export const segment = (text) => encodeURIComponent(String(text));

/**
 * Reads server-sent events until `signal` aborts. `EventSource` cannot send a token, so this function reads the stream itself.
 * It gives up when an event is longer than 4 MiB. `happened` gets each event, and its number if it has one.
 */
export async function readEvents(path, signal, happened, began = () => {}) {
  const answer = await fetchAuthorized(path, { signal });
  if (!answer.ok) {
    const json = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, json.error ?? `The program answered ${answer.status}.`);
  }
  began();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n", start)) {
      const lines = rest.slice(start, end).split("\n");
      const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      start = end + 2;
      const data = field("data");
      if (data) happened(JSON.parse(data), Number(field("id") ?? 0));
    }
    rest = rest.slice(start);
    if (rest.length > 4 << 20) throw new Error("An event is too long.");
  }
}

// A browser has six connections to a program, and the requests need some of them.
const mostPacketStreams = 3;
let packetStreams = 0;

/** Returns whether another stream of packets leaves enough connections for everything else. */
export const hasRoomForPackets = () => packetStreams < mostPacketStreams;

/** Reads packets, decoded with all their layers, until `signal` aborts. */
export async function readPackets(path, filter, signal, happened) {
  if (!hasRoomForPackets()) throw new Error("The page watches enough packets already: stop watching others first.");
  const query = new URLSearchParams({ tree: "true", ...(filter ? { filter } : {}) });
  packetStreams += 1;
  try {
    await readEvents(`${path}?${query}`, signal, happened);
  } finally {
    packetStreams -= 1;
  }
}

/**
 * Reads events again and again, so that it finds a program that restarts. What happened before and meanwhile comes first, as far as
 * the program has kept it. Gives up when the stream does not exist.
 */
export async function followEvents(path, signal, happened, changed) {
  let last = 0;
  for (let pause = 250; !signal.aborted; pause = Math.min(pause * 2, 5000)) {
    try {
      await readEvents(`${path}?after=${last}`, signal, (event, id) => {
        if (id > 0) last = id;
        happened(event);
      }, () => { pause = 250;
        changed("live"); });
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 404 || error.status === 400) return changed("absent");
    }
    if (signal.aborted) return;
    changed("lost");
    await new Promise((done) => setTimeout(done, pause));
  }
}
