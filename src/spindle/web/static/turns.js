// Answers that come late. A view takes a turn before it asks the server; when the answer is there, `isLast()` tells
// whether no newer turn was taken meanwhile, so that an old answer never replaces what was chosen after it.
export function turns() {
  let newest = 0;
  return function take() {
    const mine = ++newest;
    return () => mine === newest;
  };
}

// Returns a function that starts `work` unless it is still running: a form that is sent twice is answered once.
export function oneAtATime(work) {
  let isRunning = false;
  return async function start() {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
    } finally {
      isRunning = false;
    }
  };
}
