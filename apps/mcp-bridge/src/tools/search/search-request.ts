import { isRecord, type JsonObject } from '@iii/protocol'
import { DEFAULT_FOUND, DETAILS, type Detail, MAX_FOUND, MAX_QUERIES } from './tool-rows.ts'

/** What is asked of `search_tools`. */
export interface SearchRequest {
  readonly queries: readonly string[]
  readonly limit: number
  readonly detail: Detail
}

const ARGUMENTS = ['query', 'queries', 'limit', 'detail']

/** @returns a text that says what is wrong with the arguments, and what would be right */
export function parseSearchRequest(input: JsonObject): SearchRequest | string {
  const unknown = Object.keys(input).find((name) => !ARGUMENTS.includes(name))
  if (unknown !== undefined) {
    return `search_tools has no argument '${unknown.slice(0, 64).toWellFormed()}': it takes ${ARGUMENTS.join(', ')}`
  }
  // Frameworks such as mcp-use and CrewAI write null for what the model left out.
  const given: JsonObject = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  const { query, queries = [], limit = DEFAULT_FOUND, detail = 'full' } = given
  if (query !== undefined && typeof query !== 'string') return "'query' must be a text that says what the tool shall do"
  if (!isQueries(queries)) return `'queries' must be a list of at most ${MAX_QUERIES} texts`
  const all = [...(query === undefined ? [] : [query]), ...queries]
  if (all.length === 0) return "search_tools needs 'query', a text that says what the tool shall do"
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_FOUND) {
    return `'limit' must be an integer from 1 to ${MAX_FOUND}`
  }
  const known = DETAILS.find((each) => each === detail)
  if (known === undefined) return `'detail' must be one of ${DETAILS.join(', ')}`
  return { queries: all, limit: Number(limit), detail: known }
}

function isQueries(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MAX_QUERIES && value.every((query) => typeof query === 'string')
}

/** What `call_tool` is asked to call; undefined where that is not said as it has to be. */
export interface WrappedCall {
  readonly name: string
  readonly arguments: JsonObject | undefined
}

export function parseWrappedCall(input: unknown): WrappedCall | undefined {
  if (!isRecord(input)) return undefined
  const { name, arguments: inner, ...others } = input
  if (typeof name !== 'string' || name === '' || Object.keys(others).length > 0) return undefined
  if (inner === undefined || inner === null) return { name, arguments: undefined }
  return isRecord(inner) ? { name, arguments: inner } : undefined
}
