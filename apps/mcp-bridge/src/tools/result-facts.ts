import { findActing, isCanonicalId, isRecord } from '@iii/protocol'
import type { Pass } from '../gate/index.ts'
import { toSectionUri } from '../gate/section-uri.ts'
import { toKey } from '../gate/sight.ts'
import type { ResultFacts } from '../mcp/shown-result.ts'

export interface CallFacts {
  readonly pass: Pass
  readonly hasOutputSchema: boolean
  /** It was called with arguments: reading it as a section would give something else. */
  readonly hasInput: boolean
  /** Somebody reads sections at the moment: a registry is there. */
  readonly hasReader: boolean
}

/** What a client is told of a result that is too large: how to ask for less, and where the whole is. */
export function toResultFacts({ pass, hasOutputSchema, hasInput, hasReader }: CallFacts): ResultFacts {
  return {
    hasOutputSchema,
    takes: () => readArguments(pass),
    link: () => (hasInput || !hasReader ? undefined : toLink(pass)),
  }
}

/** The names of the arguments that a function takes. */
export function readArguments({ detail: { requestSchema } }: Pick<Pass, 'detail'>): string[] {
  const properties = isRecord(requestSchema) ? requestSchema['properties'] : undefined
  return isRecord(properties) ? Object.keys(properties) : []
}

/** To read it is to call it again, which has to do no harm. */
function toLink({ functionId, namespace, metadata }: Pass): ReturnType<ResultFacts['link']> {
  if (findActing(metadata.annotations) !== undefined || !isCanonicalId(functionId)) return undefined
  const uri = toSectionUri(toKey({ namespace, id: functionId }))
  return uri === undefined ? undefined : { type: 'resource_link', uri, name: functionId }
}
