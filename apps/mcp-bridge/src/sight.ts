/** The namespace of the engine that everything is in that names none. */
export const DEFAULT_NAMESPACE = 'default'

/**
 * How far this bridge sees. A namespace is a place of the engine's, beside the id of a function, and not what an id begins with. An engine
 * without namespaces has everything in one, which is ours whatever it is called.
 */
export interface Sight {
  /** The bridge's own namespace. */
  readonly own: string
  /** Reads what a row of the engine says of its place. @returns undefined for one that lies out of sight */
  find(namespace: unknown): Place | undefined
}

/** Somewhere that this bridge sees: another namespace by its name, its own as undefined. */
export interface Place {
  readonly namespace: string | undefined
}

const HERE: Place = { namespace: undefined }

export function createSight(own: string = DEFAULT_NAMESPACE): Sight {
  return { own, find: (namespace) => (namespace === undefined || namespace === own ? HERE : undefined) }
}
