/** What comes and goes all the time, by its key. */
export interface SlotMap<K, V> {
  readonly size: number
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  /** Those of the moment, in the order in which they came. */
  values(): V[]
  entries(): [key: K, value: V][]
}

/**
 * A map for values that live for moments, such as calls under way. V8 makes a new table for a `Map` whenever enough entries have come
 * and gone, and the old table leads to the new one. As soon as one of them is old enough to be left alone by the small garbage
 * collections, everything that was ever in the later ones is kept, and copied, until the next large collection: a call here is some
 * ten kilobytes. So the map has only numbers in it, and the values have slots of an array, which are used again.
 */
export function createSlotMap<K, V>(): SlotMap<K, V> {
  const places = new Map<K, number>()
  const slots: (V | undefined)[] = []
  const free: number[] = []
  return {
    get size() {
      return places.size
    },
    get(key) {
      const place = places.get(key)
      return place === undefined ? undefined : slots[place]
    },
    set(key, value) {
      const place = places.get(key) ?? free.pop() ?? slots.length
      slots[place] = value
      places.set(key, place)
    },
    delete(key) {
      const place = places.get(key)
      if (place === undefined) return
      slots[place] = undefined
      free.push(place)
      places.delete(key)
    },
    values: () => [...places.values()].map((place) => slots[place] as V),
    entries: () => [...places].map(([key, place]) => [key, slots[place] as V]),
  }
}
