import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { WireError } from './frames.ts'

/** A namespace and an id in it as one text; no two pairs have the same. */
export function toNamespacedKey(namespace: string, id: string): string {
  return `${namespace.length}:${namespace}${id}`
}

/** A namespace as it stands on the wire, where the default one is left out. */
export function toWireNamespace(namespace: string): string | undefined {
  return namespace === DEFAULT_NAMESPACE ? undefined : namespace
}

/** Whether a namespace was named and left blank. */
export function isBlankNamespace(namespace: string | undefined): boolean {
  return namespace?.trim() === ''
}

/** What is said about a blank namespace in a field of a frame. */
export function blankNamespace(field: string): WireError {
  return {
    code: 'INVALID_NAMESPACE',
    message: `\`${field}\` is empty: it was named and left blank. Give it a name, or omit it to use \`${DEFAULT_NAMESPACE}\`.`,
  }
}
