import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { askNamespaces, explainUnusual } from '../engine/namespace.ts'
import { type Check, type Finding, ok, warning } from './check.ts'
import { ASK_MS, type DoctorContext, type DoctorSession } from './context.ts'

type Said = Pick<DoctorSession, 'said'>

export interface NamespaceCheckOptions<S extends Said> {
  /** What is shown beside the own one. @default nothing */
  shown?(session: S): readonly string[]
  /** An engine that waits less for a worker to say who it is, is warned of. @default 1000 */
  graceMs?: number
}

/** Where does a worker with these settings live, and does the engine leave others time to say where they do? */
export function createNamespaceCheck<S extends Said>({
  shown = () => [],
  graceMs = 1_000,
}: NamespaceCheckOptions<S> = {}): Check<DoctorContext<S>> {
  return {
    name: 'namespaces',
    async run(context) {
      const { session, engine } = context
      const { namespace } = session.said
      const isDivided = await askNamespaces(await engine())
      if (isDivided === undefined) return ok(`${toSeat(namespace)}; the engine does not say whether it has namespaces`)
      if (!isDivided) return judgeUndivided(namespace)
      const unusual = explainUnusual(namespace)
      if (unusual !== undefined) return warning(unusual, 'name one of small letters, digits, - and _')
      const also = shown(session)
      const seat = `${toSeat(namespace)}${also.length === 0 ? '' : `, and shows ${also.join(', ')} beside it`}`
      return (await isHasty(context, graceMs).catch(() => false))
        ? warning(`${seat}; ${toHaste(graceMs)}`, RAISE)
        : ok(seat)
    },
  }
}

function toSeat(namespace: string = DEFAULT_NAMESPACE): string {
  return `it lives in the namespace '${namespace}'`
}

function judgeUndivided(namespace: string | undefined): Finding {
  if (namespace === undefined) return ok('this engine has no namespaces: everything is in one place')
  return warning(
    `this engine has no namespaces: what is meant for '${namespace}' is where everything else is`,
    'use engine 0.23, or leave the namespace out',
  )
}

function toHaste(graceMs: number): string {
  return `the engine waits less than ${graceMs / 1000} s for a worker to say where it lives, and puts what a slow one registers into '${DEFAULT_NAMESPACE}'`
}

const RAISE =
  'raise registration_namespace_grace_ms in the configuration of the engine, or III_NAMESPACE_GRACE_MS in its environment: 5000 is usual'

const Rows = z.object({ functions: z.array(z.object({ error: z.string().optional() })) })

/** The engine tells nobody how long it waits, so somebody who says nothing registers something that only this check knows. */
async function isHasty({ session, ask }: DoctorContext<Said>, graceMs: number): Promise<boolean> {
  const socket = new WebSocket(session.said.url, { handshakeTimeout: ASK_MS })
  const id = `iii::doctor::${randomUUID()}`
  try {
    await once(socket, 'open')
    const metadata = { internal: true, 'mcp.expose': false }
    socket.send(JSON.stringify({ type: 'registerfunction', id, description: 'Measures.', metadata }))
    await pause(graceMs)
    const answer = await ask('engine::functions::info', { function_ids: [id], namespace: DEFAULT_NAMESPACE })
    return Rows.parse(answer).functions.some(({ error }) => error === undefined)
  } finally {
    socket.on('error', () => undefined)
    socket.terminate()
  }
}
