import { Fault } from '@iii/protocol'
import { z } from 'zod'
import { formatIssues } from '../schema/issue-text.ts'
import { toKind } from '../suggestions/mistyped.ts'

/** The engine takes any text, and says of anything else no more than that it expected one. */
export function requireKey(scope: string, key: unknown): void {
  if (typeof key === 'string') return
  const right = typeof key === 'number' ? `; String(${key}) makes one of it` : ''
  throw new Fault('invalid_input', `The scope '${scope}' takes a text as key, not ${toKind(key)}${right}`)
}

/** @throws Fault `invalid_input` for what JSON leaves out, so that the engine would miss the value of the key */
export function requireValue(scope: string, key: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function' && typeof value !== 'symbol') return
  const right = 'null stores that there is none, and delete(key) removes it'
  throw new Fault(
    'invalid_input',
    `set('${key}') of the scope '${scope}' was given ${toKind(value)} as value; ${right}`,
  )
}

const Text = z.string()
const Path = z.union([Text, z.array(Text)]).optional()
const Given = z.custom((value) => value !== undefined, 'must be there')
const Step = z.int()

/** Of engine 0.22 and 0.23; what else an operation has is not read. */
const Ops = z.array(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('set'), path: Text }),
    z.object({ type: z.literal('merge'), path: Path, value: Given }),
    z.object({ type: z.literal(['increment', 'decrement']), path: Text, by: Step }),
    z.object({ type: z.literal('append'), path: Path, value: Given }),
    z.object({ type: z.literal('remove'), path: Text }),
  ]),
)

/** @throws Fault `invalid_input` for operations that the engine cannot read */
export function requireOps(scope: string, key: string, ops: unknown): void {
  const { error } = Ops.safeParse(ops)
  if (error === undefined) return
  const right = "it takes a list such as [{ type: 'increment', path: 'n', by: 1 }]"
  const what = `update('${key}') of the scope '${scope}'`
  throw new Fault('invalid_input', `${what}: ${formatIssues(error.issues, 'ops')}; ${right}`)
}
