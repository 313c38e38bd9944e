export type JsonObject = Record<string, unknown>

/** Tells a JSON object from everything else, arrays included. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads an own key: what a prototype carries was not said by whoever wrote the object. */
export function readOwn(record: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
