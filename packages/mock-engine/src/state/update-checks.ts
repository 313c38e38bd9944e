import type { UpdateOp } from '../builtins/update-ops.ts'
import { toItems, toMembers } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/** Why a step of an update was left out. `code` comes without the name of the step. */
export class OpRefused extends Error {
  override name = 'OpRefused'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const MAX_SEGMENTS = 32
const MAX_SEGMENT_BYTES = 256
const MAX_MERGE_KEYS = 1024
const MAX_MERGE_DEPTH = 16
const POLLUTING: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** @throws OpRefused for a path or a merge value that goes beyond the limits. */
export function checkOp(op: UpdateOp): void {
  checkPath(op.path)
  if (op.type === 'merge') checkMergeValue(op.value)
}

function checkPath(path: readonly string[]): void {
  if (path.length > MAX_SEGMENTS) {
    throw new OpRefused('path.too_deep', `Path depth ${path.length} exceeds maximum of ${MAX_SEGMENTS}`)
  }
  for (const segment of path) {
    const bytes = Buffer.byteLength(segment)
    if (bytes === 0) throw new OpRefused('path.empty_segment', 'Path contains an empty segment')
    if (bytes > MAX_SEGMENT_BYTES) {
      throw new OpRefused(
        'path.segment_too_long',
        `Path segment of ${bytes} bytes exceeds maximum of ${MAX_SEGMENT_BYTES}`,
      )
    }
    if (POLLUTING.has(segment)) {
      throw new OpRefused('path.proto_polluted', `Path segment '${segment}' is not allowed (prototype pollution).`)
    }
  }
}

function checkMergeValue(value: JsonText): void {
  const members = toMembers(value)
  if (!members) throw new OpRefused('value.not_an_object', 'Merge value must be a JSON object')
  if (members.size > MAX_MERGE_KEYS) {
    throw new OpRefused(
      'value.too_many_keys',
      `Merge value has ${members.size} top-level keys, exceeds maximum of ${MAX_MERGE_KEYS}`,
    )
  }
  for (const key of members.keys()) {
    if (POLLUTING.has(key)) {
      throw new OpRefused('value.proto_polluted', `Merge value top-level key "${key}" is a prototype-pollution sink`)
    }
  }
  const depth = depthOf(value)
  if (depth > MAX_MERGE_DEPTH) {
    throw new OpRefused(
      'value.too_deep',
      `Merge value JSON nesting depth ${depth} exceeds maximum of ${MAX_MERGE_DEPTH}`,
    )
  }
}

function depthOf(text: JsonText): number {
  const children = toItems(text) ?? toMembers(text)?.values()
  return children ? 1 + Math.max(0, ...[...children].map(depthOf)) : 0
}
