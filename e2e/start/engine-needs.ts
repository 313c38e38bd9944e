import type { ListedFunction } from '../facts.ts'

/** A worker of the engine itself that `start` cannot do without: what shows that it runs, and how to have it. */
interface Need {
  readonly name: string
  isMet(functions: ReadonlySet<string>, triggerTypes: ReadonlySet<string>): boolean
  readonly lines: readonly string[]
}

const NEEDS: readonly Need[] = [
  {
    name: 'iii-http',
    isMet: (_functions, triggerTypes) => triggerTypes.has('http'),
    lines: ['  - name: iii-http', '    config: { host: 127.0.0.1, port: 3111 }'],
  },
  {
    name: 'iii-state',
    isMet: (functions) => ['get', 'set', 'delete', 'list'].every((name) => functions.has(`state::${name}`)),
    lines: ['  - name: iii-state'],
  },
]

/** Tells which workers of the engine are missing and what its configuration has to say; undefined when all are there. */
export function findMissingNeeds(
  functions: readonly ListedFunction[],
  triggerTypes: readonly string[],
): string[] | undefined {
  const ids = new Set(functions.map(({ function_id }) => function_id))
  const types = new Set(triggerTypes)
  const missing = NEEDS.filter((need) => !need.isMet(ids, types))
  if (missing.length === 0) return undefined
  const names = missing.map(({ name }) => name).join(' and ')
  return [
    `runs without its ${missing.length === 1 ? 'worker' : 'workers'} ${names}, which start needs.`,
    "Add to the list `workers:` of that engine's config.yaml:",
    ...missing.flatMap(({ lines }) => lines),
  ]
}
