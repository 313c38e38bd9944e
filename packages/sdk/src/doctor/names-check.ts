import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { z } from 'zod'
import { InvocationError } from '../engine/invocation-error.ts'
import { type FunctionOwner, findOwner } from '../ownership/find-owner.ts'
import { type Check, type Finding, ok, skipped, warning } from './check.ts'
import type { DoctorContext, DoctorSession } from './context.ts'

type Said = Pick<DoctorSession, 'said'>

export interface NamesCheckOptions<S extends Said> {
  /** Of a worker that is given no other. */
  readonly workerName: string
  /** Functions that one such worker has at a time. */
  functionIds(session: S): readonly string[]
}

const Rows = z.object({
  workers: z.array(z.object({ id: z.string(), name: z.string().nullish(), namespace: z.string().optional() })),
})

/** Does somebody else have the name or the functions that a worker with these settings wants? */
export function createNamesCheck<S extends Said>({
  workerName,
  functionIds,
}: NamesCheckOptions<S>): Check<DoctorContext<S>> {
  return {
    name: 'names',
    async run({ ask, session, names: { noun } }) {
      const { workerName: name = workerName, namespace = DEFAULT_NAMESPACE } = session.said
      const listed = await ask('engine::workers::list', {}).catch(toForbidden)
      if (listed === FORBIDDEN)
        return skipped('the access rules of this port do not let it ask which workers there are')
      const { workers } = Rows.parse(listed)
      // Where there are no namespaces, a name is for any number of workers.
      const holder = workers.find((row) => row.name === name && row.namespace === namespace)
      const ids = functionIds(session)
      const owners = await Promise.all(ids.map((id) => findOwner(ask, id, namespace)))
      const held = ids.flatMap((id, at) => toHeld(id, owners[at]))
      return judge({ name, noun, holder: holder?.id, held })
    },
  }
}

/** What an engine answers on a port with access rules. */
const FORBIDDEN = 'FORBIDDEN'

/** @throws what any other failure was */
function toForbidden(error: unknown): typeof FORBIDDEN {
  if (error instanceof InvocationError && error.code === FORBIDDEN) return FORBIDDEN
  throw error
}

interface Held {
  readonly id: string
  readonly owner: FunctionOwner
}

function toHeld(id: string, owner: FunctionOwner | undefined): Held[] {
  return owner === undefined ? [] : [{ id, owner }]
}

interface Evidence {
  readonly name: string
  readonly noun: string
  /** The id of the worker that has the name. */
  readonly holder: string | undefined
  readonly held: readonly Held[]
}

function judge({ name, noun, holder, held }: Evidence): Finding {
  const strangers = held.filter(({ owner }) => owner.instance === undefined)
  if (strangers.length > 0) {
    const what = strangers.map(({ id, owner }) => `${id} of ${owner.text}`).join(', ')
    return warning(
      `another worker has functions of the ${noun} and gets their calls: ${what}`,
      `stop that worker, or give its functions other ids; a ${noun} that runs takes them when they are free`,
    )
  }
  const [first] = held
  if (first === undefined) {
    if (holder === undefined) return ok(`nobody else has the name '${name}', or functions of the ${noun}`)
    return warning(
      `a worker (id ${holder}) has the name '${name}' and none of the functions of a ${noun}: a ${noun} that starts goes by a name of its own, and with --exact-name it waits`,
      'stop that worker, or name one of the two otherwise (III_WORKER_NAME)',
    )
  }
  if (holder === undefined) return ok(`${first.owner.text} has the functions of the ${noun}`)
  const { owner } = first.owner
  if (owner?.workerId === undefined || owner.workerId === holder)
    return ok(`${first.owner.text} has name and functions`)
  return warning(
    `the name '${name}' is that of a worker (id ${holder}), and the functions are those of ${first.owner.text}`,
    'stop one of the two if they were not meant to run side by side',
  )
}
