/** The namespace of the engine that everything is in that names none. */
export const DEFAULT_NAMESPACE = 'default'

/** The scope of a registry: two of them in two namespaces share the engine's state, and must not share rows. */
export function toScope(setting: string, namespace: string | undefined): string {
  return namespace === undefined || namespace === DEFAULT_NAMESPACE ? setting : `${setting}@${namespace}`
}
