import { type Operation, RIGHT, refused, toWrong } from '../operation.ts'

/** Of workers that are there unless a fault strikes. */
const TOOLS = ['orders__create', 'orders__report', 'calm__echo', 'third__echo', 'soak__steps', 'runs__run_job']

/** No list lacks a tool of a worker that is there. @param isCalm whether nothing is broken at this moment */
export function createListOperation(isCalm: () => boolean): Operation {
  return {
    ...{ name: 'tools/list', weight: 2 },
    async run(client) {
      const wasCalm = isCalm()
      const { result, error } = await client.ask('tools/list')
      if (error !== undefined) return refused(`${error.code} ${error.message}`)
      const names = new Set(((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name))
      const missing = TOOLS.filter((name) => !names.has(name))
      if (missing.length === 0) return RIGHT
      const text = `a list without ${missing.join(', ')}`
      return wasCalm && isCalm() ? toWrong(text) : refused(text)
    },
  }
}
