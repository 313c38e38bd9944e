import { judgeTool, type Operation } from '../operation.ts'

/** Far from each other, so that no sum is another call's. */
const STEP = 1_000_003
let count = 0

/** Calls of tools whose answers nobody else can have. */
export function createCallOperations(absent: readonly string[]): Operation[] {
  const all: Operation[] = [
    createSum('demo__add', 'node worker', 8),
    createSum('py__add', 'python worker', 6),
    createEcho('bare__echo', 'bare worker', 6),
    ...['calm', 'second', 'third'].map((server) => createEcho(`${server}__echo`, 'mcp-client', 5)),
    createSteps(),
  ]
  return all.filter(({ member }) => member === undefined || !absent.includes(member))
}

function createSum(name: string, member: string, weight: number): Operation {
  return {
    ...{ name, member, weight, isForeign: true },
    async run(client) {
      const [a, b] = [++count * STEP, 7]
      return judgeTool(await client.ask('tools/call', { name, arguments: { a, b } }), String(a + b))
    },
  }
}

function createEcho(name: string, member: string, weight: number): Operation {
  return {
    ...{ name, member, weight, isForeign: member === 'bare worker' },
    async run(client) {
      const text = `token-${++count}-`
      return judgeTool(await client.ask('tools/call', { name, arguments: { text } }), text)
    },
  }
}

/** A call that tells how far it is: its client hears of each step of its own, in order. */
function createSteps(): Operation {
  const STEPS = 3
  return {
    ...{ name: 'soak__steps', weight: 3 },
    async run(client) {
      const token = `token-${++count}-`
      const heard: unknown[] = []
      const message = await client.ask(
        'tools/call',
        { name: 'soak__steps', arguments: { token, steps: STEPS }, _meta: { progressToken: count } },
        ({ method, params }) => {
          if (method === 'notifications/progress') heard.push(params?.['progress'])
        },
      )
      const isInOrder = heard.every((step, at) => at === 0 || Number(step) > Number(heard[at - 1]))
      if (!isInOrder || heard.length > STEPS) return { outcome: 'wrong', text: `progress ${heard.join()}` }
      return judgeTool(message, token)
    },
  }
}
