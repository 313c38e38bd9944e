import { DEFAULT_NAMESPACE } from '@iii/protocol'

/** Instead of a list of namespaces: all that there are. */
const EVERY_NAMESPACE = '*'

/**
 * How far this bridge sees. A namespace is a place of the engine's, beside the id of a function, and not what an id begins with. An engine
 * without namespaces has everything in one, which is ours whatever it is called.
 */
export interface Sight {
  /** The bridge's own namespace. */
  readonly own: string
  /** Does it see more than its own? */
  readonly isWide: boolean
  /** Is a namespace another than its own, and seen? */
  sees(namespace: string): boolean
  /** Reads what a row of the engine says of its place. @returns undefined for one that lies out of sight */
  find(namespace: unknown): Place | undefined
}

/** Somewhere that a bridge sees: another namespace by its name, its own as undefined. */
export interface Place {
  readonly namespace: string | undefined
}

const HERE: Place = { namespace: undefined }

/** @param shown the namespaces that are shown beside the bridge's own */
export function createSight(own: string = DEFAULT_NAMESPACE, shown: () => readonly string[] = () => []): Sight {
  const sees = (namespace: string) => {
    const names = shown()
    return (
      namespace !== own && !namespace.includes(MARK) && (names.includes(EVERY_NAMESPACE) || names.includes(namespace))
    )
  }
  return {
    own,
    get isWide() {
      return shown().some((namespace) => namespace !== own)
    },
    sees,
    find(namespace) {
      if (namespace === undefined || namespace === own) return HERE
      return typeof namespace === 'string' && sees(namespace) ? { namespace } : undefined
    },
  }
}

/** A function and where it is. */
export interface Placed extends Place {
  readonly id: string
}

/** In no id or namespace that anybody types, and sorted behind them all: what is our own comes first. */
const MARK = '\uffff'

/**
 * How a bridge names a function: one of its own namespace by its id, as if there were no other; of two with one id in two
 * namespaces, each otherwise.
 */
export function toKey({ namespace, id }: Placed): string {
  return namespace !== undefined || id.startsWith(MARK) ? `${MARK}${namespace ?? ''}${MARK}${id}` : id
}

/** The inverse of {@link toKey}. */
export function readKey(key: string): Placed {
  if (!key.startsWith(MARK)) return { namespace: undefined, id: key }
  const end = key.indexOf(MARK, 1)
  return { namespace: key.slice(1, end) || undefined, id: key.slice(end + 1) }
}

/** For people. */
export function formatKey(key: string): string {
  const { namespace, id } = readKey(key)
  return namespace === undefined ? id : `${id} of the namespace '${namespace}'`
}
