import { DEFAULT_NAMESPACE, readInstance } from '@iii/protocol'
import { findOwner, type Worker } from '@iii/sdk'
import { z } from 'zod'

/** Who else has functions under the names of our servers. */
export interface Conflicts {
  /** @throws InvocationError when the engine does not answer */
  find(name: string): Promise<string | undefined>
  /** @returns the owner by name, for those that have one */
  findAll(names: readonly string[]): Promise<ReadonlyMap<string, string>>
}

const Row = z.object({
  function_id: z.string(),
  metadata: z.unknown().optional(),
  /** Engines before 0.23 have none. */
  namespace: z.string().optional(),
})
const Rows = z.object({ functions: z.array(Row) })
type Row = z.infer<typeof Row>

const ASK_MS = 2_000

/** Who has them elsewhere is nobody's conflict: only functions of one namespace can take each other's calls. */
export function createConflicts(worker: Pick<Worker, 'trigger' | 'instance' | 'namespace'>): Conflicts {
  const { namespace: own = DEFAULT_NAMESPACE } = worker
  const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs: ASK_MS })

  const isStranger = ({ metadata, namespace = own }: Row) =>
    namespace === own && readInstance(metadata) !== worker.instance

  async function list(prefix?: string): Promise<Row[]> {
    const scope = prefix === undefined ? {} : { prefix }
    const answer = await ask('engine::functions::list', { ...scope, include_internal: true })
    return Rows.parse(answer).functions.filter(isStranger)
  }

  async function nameOwner(id: string): Promise<string> {
    const owner = await findOwner(ask, id, own).catch(() => undefined)
    return owner?.text ?? 'another worker'
  }

  return {
    async find(name) {
      const [first] = await list(`${name}::`)
      return first && nameOwner(first.function_id)
    },
    async findAll(names) {
      const rows = await list()
      const found = new Map<string, string>()
      for (const name of names) {
        const first = rows.find(({ function_id }) => function_id.startsWith(`${name}::`))
        if (first !== undefined) found.set(name, await nameOwner(first.function_id))
      }
      return found
    },
  }
}
