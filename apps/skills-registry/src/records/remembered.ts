/** What was made of something before, for whoever asks for it again and again. */

/** Remembers what was made of the last argument. */
export function memoize<T extends object, R>(make: (from: T) => R): (from: T) => R {
  let last: { from: T; made: R } | undefined
  return (from) => {
    if (last?.from !== from) last = { from, made: make(from) }
    return last.made
  }
}

/** Remembers what was made of each argument, for as long as somebody holds on to it. */
export function memoizeEach<T extends object, R>(make: (from: T) => R): (from: T) => R {
  const made = new WeakMap<T, { of: R }>()
  return (from) => {
    const known = made.get(from)
    if (known) return known.of
    const fresh = make(from)
    made.set(from, { of: fresh })
    return fresh
  }
}
