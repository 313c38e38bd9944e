import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { JsonText } from '../json/json-text.ts'

/** A binding of a function to a trigger type. */
export interface Trigger {
  readonly id: string
  readonly triggerType: string
  readonly functionId: string
  readonly config: JsonText
  readonly metadata: JsonText | undefined
  /** The connection it lives with; `undefined` for a binding that outlives its creator. */
  readonly ownerId: string | undefined
  /** Where the function is looked for, its condition and middleware too. */
  readonly namespace: string
  /** Where the provider has to be; `undefined` when it is looked for in that of its maker and in the default namespace. */
  readonly typeNamespace: string | undefined
  /** The namespace of whoever made it. */
  readonly ownNamespace: string
}

/** The namespaces of a binding that the engine makes. */
export const ENGINE_NAMESPACES = {
  namespace: DEFAULT_NAMESPACE,
  typeNamespace: undefined,
  ownNamespace: DEFAULT_NAMESPACE,
} as const satisfies Partial<Trigger>
