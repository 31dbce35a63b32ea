// Requests to the server. The token, if there is one, came in the fragment of the address.

export function token() {
  return sessionStorage.getItem("token");
}

export async function post(path, body, signal) {
  return answer(path, { method: "POST", body: JSON.stringify(body), signal, headers: { "Content-Type": "application/json" } });
}

export async function get(path, signal) {
  return answer(path, { signal, headers: {} });
}

// Sends a file as it is.
export async function upload(path, file) {
  return answer(path, { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } });
}

async function answer(path, options) {
  if (token()) options.headers.Authorization = `Bearer ${token()}`;
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is it still running?");
  }
  const record = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw new Error(record.error);
  return record;
}
