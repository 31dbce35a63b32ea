// Requests to the server. The token, if there is one, came in the fragment of the address.

const AGAIN = 1500; // milliseconds until a server that does not answer is asked again

// Tells `lost` when the server does not answer and `back` when it does again.
export const connection = new EventTarget();
let isLost = false;

export function token() {
  return sessionStorage.getItem("token");
}

export async function post(path, body, signal) {
  return record(await send(path, json("POST", body, signal)));
}

export async function put(path, body) {
  return record(await send(path, json("PUT", body)));
}

export async function get(path, signal) {
  return record(await send(path, { signal, headers: {} }));
}

// Sends a file as it is.
export async function upload(path, file) {
  return record(await send(path, { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } }));
}

// Calls `onLine` with every record of a streamed answer; returns the last one.
export async function stream(path, body, onLine, signal) {
  const response = await send(path, json("POST", body, signal));
  if (!response.ok) return record(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = null;
  const take = (line) => {
    if (!line) return;
    last = JSON.parse(line);
    if (last.error) throw new Error(last.error);
    onLine(last);
  };
  for (;;) {
    const { done, value } = await reader.read().catch((error) => { throw failure(error); });
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.forEach(take);
  }
  take(rest);
  return last;
}

function json(method, body, signal) {
  return { method, body: JSON.stringify(body), signal, headers: { "Content-Type": "application/json" } };
}

async function send(path, options) {
  if (token()) options.headers.Authorization = `Bearer ${token()}`;
  try {
    return await fetch(path, options);
  } catch (error) {
    throw failure(error);
  }
}

function failure(error) {
  if (error.name === "AbortError") return error;
  lose();
  return Object.assign(new Error("the server does not answer; is it still running?"), { isFromServer: true });
}

async function record(response) {
  const found = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return { error: `the server answered ${response.status}` };
  });
  if (!response.ok) throw Object.assign(new Error(found.error), { status: response.status, isFromServer: true });
  return found;
}

function lose() {
  if (isLost) return;
  isLost = true;
  connection.dispatchEvent(new Event("lost"));
  const ask = async () => {
    const isBack = await fetch("health").then((response) => response.ok, () => false);
    if (!isBack) {
      setTimeout(ask, AGAIN);
      return;
    }
    isLost = false;
    connection.dispatchEvent(new Event("back"));
  };
  setTimeout(ask, AGAIN);
}
