import { formatToolName } from '@iii/protocol'
import { hasFunctions } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { until } from '../until.ts'
import type { Arena, Bench } from './arena.ts'
import { connect, ERAS, type Era, type Message, post } from './bridge-eras.ts'
import { SIZES, type Size, toTier, toToolId } from './bridge-tools.ts'
import { createHttpCaller } from './http-caller.ts'
import type { Subject } from './measure.ts'
import { PAYLOAD } from './payload.ts'

export const bridgeBenches: readonly Bench[] = [
  {
    title: 'bridge: a constant behind an HTTP route of the engine as floor',
    async open(arena) {
      await arena.startWorker('floor-worker.ts', 'floor::echo')
      const { httpUrl, mcpUrl } = arena.stack
      const request = (method: string, params: object = {}) =>
        createHttpCaller(mcpUrl, { jsonrpc: '2.0', id: 1, method, params })
      await until(() => request('ping')().then(() => true), { what: 'the bridge' })
      return [
        { name: 'constant behind a route', run: createHttpCaller(`${httpUrl}/floor`, PAYLOAD) },
        { name: 'ping', run: request('ping') },
        { name: 'resources/read', run: request('resources/read', { uri: 'iii://orders' }) },
      ]
    },
  },
  ...ERAS.flatMap((era) => [
    {
      title: `bridge: tools/list, ${era}, beside the same bytes out of a buffer`,
      open: (arena: Arena) => openList(arena, era),
    },
    {
      title: `bridge: tools/call, ${era}, beside a call of the same function with the same reply`,
      open: (arena: Arena) => openCall(arena, era),
    },
  ]),
]

/** The processes that are compared: a bridge for each number of tools, and the floor. */
interface Ring {
  readonly floorPid: number
  readonly bridges: ReadonlyMap<Size, { readonly pid: number; readonly mcpUrl: string }>
  /** Has the floor answer at a path. */
  serve(route: { path: string; text?: string; function_id?: string; frame?: unknown }): Promise<string>
}

const rings = new WeakMap<Arena, Promise<Ring>>()

function openRing(arena: Arena): Promise<Ring> {
  const ring = rings.get(arena) ?? startRing(arena)
  rings.set(arena, ring)
  return ring
}

async function startRing(arena: Arena): Promise<Ring> {
  const { stack, start } = arena
  const { engineUrl, httpUrl, worker } = stack
  const args = ['--url', engineUrl]
  const floor = start({ name: 'floor', entry: new URL('bridge-floor-worker.ts', import.meta.url), args })
  start({ name: 'tools', entry: new URL('tools-worker.ts', import.meta.url), args })
  const last = Math.max(...SIZES) as Size
  await until(() => hasFunctions(worker, ['bridge_floor::serve', toToolId(last, last)]), { what: 'tools and floor' })
  const bridges = await Promise.all(
    SIZES.map(async (size) => {
      const path = `mcp-${size}`
      const { pid } = start(bridgeProgram(engineUrl, ['--api-path', path, '--tier', toTier(size)]))
      const mcpUrl = `${httpUrl}/${path}`
      await until(() => lists(mcpUrl, toToolId(size, size)), { what: `a bridge with ${size} tools` })
      return [size, { pid, mcpUrl }] as const
    }),
  )
  return {
    floorPid: floor.pid,
    bridges: new Map(bridges),
    async serve(route) {
      await worker.trigger({ function_id: 'bridge_floor::serve', payload: route })
      return `${httpUrl}/floor/${route.path}`
    },
  }
}

async function lists(mcpUrl: string, functionId: string): Promise<boolean> {
  const write = await connect('stateless', mcpUrl)
  const { text } = await post(mcpUrl, write('tools/list'))
  return text.includes(`"${formatToolName(functionId)}"`)
}

async function openList(arena: Arena, era: Era): Promise<Subject[]> {
  return await openPairs(arena, era, async ({ ring, size, mcpUrl, write }) => {
    const message = write('tools/list')
    const { text } = await post(mcpUrl, message)
    return { message, floorUrl: await ring.serve({ path: `${era}-list-${size}`, text }) }
  })
}

async function openCall(arena: Arena, era: Era): Promise<Subject[]> {
  return await openPairs(arena, era, async ({ ring, size, mcpUrl, write }) => {
    const function_id = toToolId(size, Math.ceil(size / 2))
    const message = write('tools/call', { name: formatToolName(function_id), arguments: PAYLOAD })
    const { result } = JSON.parse((await post(mcpUrl, message)).text) as { result: Record<string, unknown> }
    const { content: _, structuredContent: __, ...frame } = result
    return { message, floorUrl: await ring.serve({ path: `${era}-call-${size}`, function_id, frame }) }
  })
}

interface Place {
  readonly ring: Ring
  readonly size: Size
  readonly mcpUrl: string
  readonly write: Awaited<ReturnType<typeof connect>>
}

/** For each number of tools the floor and the bridge, which have to answer the same. */
async function openPairs(
  arena: Arena,
  era: Era,
  open: (place: Place) => Promise<{ message: Message; floorUrl: string }>,
): Promise<Subject[]> {
  const ring = await openRing(arena)
  const pairs = [...ring.bridges].map(async ([size, { pid, mcpUrl }]) => {
    const { message, floorUrl } = await open({ ring, size, mcpUrl, write: await connect(era, mcpUrl) })
    await until(() => post(floorUrl, message), { what: `${floorUrl} to answer` })
    const texts = await Promise.all([mcpUrl, floorUrl].map(async (url) => (await post(url, message)).text))
    if (texts[0]?.length !== texts[1]?.length) throw new Error(`Not the same replies:\n${texts.join('\n')}`)
    const floor = `floor, ${size} tools`
    return [
      { name: floor, pid: ring.floorPid, floor, run: createHttpCaller(floorUrl, message.body, message.headers) },
      { name: `bridge, ${size} tools`, pid, floor, run: createHttpCaller(mcpUrl, message.body, message.headers) },
    ]
  })
  return (await Promise.all(pairs)).flat()
}
