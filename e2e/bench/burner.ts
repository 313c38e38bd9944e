/** Keeps one core busy, and looks now and then whether it still has a parent. */
const SLICE_MS = 20

function burn(): void {
  const end = performance.now() + SLICE_MS
  while (performance.now() < end);
  setImmediate(burn)
}

burn()
