import type { Worker } from '@iii/sdk'

/** A store in the test's hands: it takes the place of the engine's own. */
export interface HeldStore {
  rows: Map<string, unknown>
  /** Every call for a record in order: `get skills/a`. */
  calls: string[]
  /** Runs before a call is answered; what it throws is the answer. */
  before: (call: string) => unknown
}

interface Op {
  type: string
  path?: string
  by?: number
  value?: unknown
}

interface Request {
  scope: string
  key?: string
  value?: unknown
  ops?: readonly Op[]
}

/** Registers `state::get|set|delete|list|update` on `client`: the last registration of an id wins on an engine. */
export async function serveStore(client: Worker): Promise<HeldStore> {
  const store: HeldStore = { rows: new Map(), calls: [], before: () => undefined }
  const { rows } = store
  const serve = (name: string, work: (path: string, request: Request) => unknown) => {
    client.registerFunction(`state::${name}`, async (request: Request) => {
      const path = `${request.scope}/${request.key ?? ''}`
      const call = `${name} ${path}`
      if (!request.scope.includes('::index')) store.calls.push(call)
      await store.before(call)
      return work(path, request)
    })
  }
  serve('get', (path) => rows.get(path))
  serve('set', (path, { value }) => {
    const old_value = rows.get(path) ?? null
    rows.set(path, value)
    return { old_value, new_value: value }
  })
  serve('delete', (path) => {
    const old = rows.get(path)
    rows.delete(path)
    return old
  })
  serve('update', (path, { ops = [] }) => {
    const row: Record<string, unknown> = { ...(rows.get(path) as object) }
    for (const op of ops) applyTo(row, op)
    rows.set(path, row)
    return { old_value: null, new_value: row }
  })
  serve('list', (path) => [...rows].flatMap(([key, value]) => (key.startsWith(path) ? [value] : [])))
  await client.ready()
  return store
}

function applyTo(row: Record<string, unknown>, { type, path: field = '', by = 0, value }: Op): void {
  if (type === 'increment') row[field] = Number(row[field] ?? 0) + by
  else if (type === 'set') row[field] = value
  else if (type === 'remove') delete row[field]
  else Object.assign(row, value)
}
