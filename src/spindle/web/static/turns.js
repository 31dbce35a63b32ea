// Answers that come late. Whoever asks the server takes a turn first; when the answer is there, `isLast()` tells whether
// a newer turn was taken meanwhile, so that an old answer never replaces what was chosen after it.

export function turns() {
  let newest = 0;
  return function take() {
    const mine = ++newest;
    return () => mine === newest;
  };
}
