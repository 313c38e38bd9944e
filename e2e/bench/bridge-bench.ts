import { formatToolName } from '@iii/protocol'
import { hasFunctions } from '../facts.ts'
import { INSTALLED, toInstalled } from '../installed.ts'
import { bridgeProgram } from '../programs.ts'
import { until } from '../until.ts'
import type { Arena, Scene } from './arena.ts'
import { type BenchRequest, type ClientEra, connectWriter, ERAS, post } from './bridge-eras.ts'
import type { FloorRoute } from './bridge-floor-worker.ts'
import { SIZES, type ToolSize, toSizedToolId, toTier } from './bridge-tools.ts'
import { createHttpCaller } from './http-caller.ts'
import type { BenchSubject } from './measure.ts'
import { PAYLOAD } from './payload.ts'

export const bridgeScene: Scene = {
  workers: ['skills', 'bridge', 'orders'],
  benches: [
    {
      title: 'bridge: a constant behind an HTTP route of the engine as floor',
      async open(arena) {
        await arena.startWorker('bare-worker.ts', 'bare::fill')
        const { httpUrl, mcpUrl } = arena.stack
        const request = (method: string, params: object = {}) =>
          createHttpCaller(mcpUrl, { jsonrpc: '2.0', id: 1, method, params })
        await until(() => request('ping')().then(() => true), { what: 'the bridge' })
        return [
          { name: 'constant behind a route', run: createHttpCaller(`${httpUrl}/bare`, PAYLOAD) },
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
  ],
}

interface Bridge {
  readonly name: string
  readonly size: ToolSize
  readonly pid: number
  readonly mcpUrl: string
}

interface Floor {
  readonly pid: number
  /** Has it answer at a path. @returns the address */
  serve(route: FloorRoute): Promise<string>
}

/** One without any SDK, and one on ours, which is what a bridge could reach that checks nothing. */
interface Floors {
  readonly bare: Floor
  readonly onSdk: Floor
}

/** The processes that are compared: for each number of tools bridges and floors, so that the one rests as long as the others between its turns. */
interface Ring {
  readonly floors: ReadonlyMap<ToolSize, Floors>
  readonly bridges: readonly Bridge[]
}

const rings = new WeakMap<Arena, Promise<Ring>>()

function openRing(arena: Arena): Promise<Ring> {
  const ring = rings.get(arena) ?? startRing(arena)
  rings.set(arena, ring)
  return ring
}

async function startRing(arena: Arena): Promise<Ring> {
  const { stack, start, beside } = arena
  const { engineUrl, httpUrl } = stack
  const last = Math.max(...SIZES) as ToolSize
  await arena.startWorker('tools-worker.ts', toSizedToolId(last, last))
  const startBridge = async (build: string, size: ToolSize, file: URL): Promise<Bridge> => {
    const path = `${build}-${size}`
    const program = bridgeProgram(engineUrl, ['--api-path', path, '--tier', toTier(size)])
    const { pid } = start(toInstalled(program, file))
    const mcpUrl = `${httpUrl}/${path}`
    await until(() => lists(mcpUrl, toSizedToolId(size, size)), { what: `a ${build} with ${size} tools` })
    return { name: `${build}, ${size} tools`, size, pid, mcpUrl }
  }
  const builds = (size: ToolSize) => [
    startBridge('bridge', size, INSTALLED.bridge),
    ...(beside === undefined ? [] : [startBridge('beside', size, beside)]),
  ]
  return {
    floors: new Map(await Promise.all(SIZES.map(async (size) => [size, await startFloors(arena, size)] as const))),
    bridges: await Promise.all(SIZES.flatMap(builds)),
  }
}

async function startFloors(arena: Arena, size: ToolSize): Promise<Floors> {
  const [bare, onSdk] = await Promise.all([
    startFloor(arena, 'bridge-floor-worker.ts', `bridge_floor_${size}`),
    startFloor(arena, 'sdk-floor-worker.ts', `sdk_floor_${size}`),
  ])
  return { bare, onSdk }
}

async function startFloor({ stack, start }: Arena, file: string, name: string): Promise<Floor> {
  const { engineUrl, httpUrl, worker } = stack
  const entry = new URL(file, import.meta.url)
  const { pid } = start({ name, entry, args: ['--url', engineUrl], env: { FLOOR_NAME: name } })
  const function_id = `${name}::serve`
  await until(() => hasFunctions(worker, [function_id]), { what: `${function_id} to be there` })
  return {
    pid,
    async serve(route) {
      await worker.trigger({ function_id, payload: route })
      return `${httpUrl}/${name}/${route.path}`
    },
  }
}

async function lists(mcpUrl: string, functionId: string): Promise<boolean> {
  const write = await connectWriter('stateless', mcpUrl)
  const { text } = await post(mcpUrl, write('tools/list'))
  return text.includes(`"${formatToolName(functionId)}"`)
}

async function openList(arena: Arena, era: ClientEra): Promise<BenchSubject[]> {
  return await openPairs(arena, era, async ({ floors, mcpUrl, write }) => {
    const message = write('tools/list')
    const { text } = await post(mcpUrl, message)
    return { message, ...(await serveFloors(floors, { path: `${era}-list`, text })) }
  })
}

async function openCall(arena: Arena, era: ClientEra): Promise<BenchSubject[]> {
  return await openPairs(arena, era, async ({ floors, size, mcpUrl, write }) => {
    const function_id = toSizedToolId(size, Math.ceil(size / 2))
    const message = write('tools/call', { name: formatToolName(function_id), arguments: PAYLOAD })
    const { result } = JSON.parse((await post(mcpUrl, message)).text) as { result: Record<string, unknown> }
    const { content: _, structuredContent: __, ...frame } = result
    return { message, ...(await serveFloors(floors, { path: `${era}-call`, function_id, frame })) }
  })
}

async function serveFloors({ bare, onSdk }: Floors, route: FloorRoute) {
  return { floorUrl: await bare.serve(route), sdkUrl: await onSdk.serve(route) }
}

interface Place {
  readonly floors: Floors
  readonly size: ToolSize
  readonly mcpUrl: string
  readonly write: Awaited<ReturnType<typeof connectWriter>>
}

/** For each number of tools the floor and the bridges, which have to answer the same. */
async function openPairs(
  arena: Arena,
  era: ClientEra,
  open: (place: Place) => Promise<{ message: BenchRequest; floorUrl: string; sdkUrl: string }>,
): Promise<BenchSubject[]> {
  const ring = await openRing(arena)
  const toSubjects = async (size: ToolSize): Promise<BenchSubject[]> => {
    const bridges = ring.bridges.filter((bridge) => bridge.size === size)
    const floors = ring.floors.get(size)
    if (floors === undefined) throw new Error(`There is no floor for ${size} tools`)
    const floor = `floor, ${size} tools`
    const subjects = bridges.map(async ({ name, pid, mcpUrl }, at) => {
      const place = { floors, size, mcpUrl, write: await connectWriter(era, mcpUrl) }
      const { message, floorUrl, sdkUrl } = await open(place)
      const toSubject = async (what: string, of: number, url: string): Promise<BenchSubject> => {
        await checkAlike([mcpUrl, url], message)
        return { name: what, pid: of, floor, run: createHttpCaller(url, message.body, message.headers) }
      }
      const subject = await toSubject(name, pid, mcpUrl)
      if (at > 0) return [subject]
      const least = await toSubject(floor, floors.bare.pid, floorUrl)
      return [least, await toSubject(`${floor}, on @iii/sdk`, floors.onSdk.pid, sdkUrl), subject]
    })
    return (await Promise.all(subjects)).flat()
  }
  return (await Promise.all(SIZES.map(toSubjects))).flat()
}

async function checkAlike(urls: readonly string[], message: BenchRequest): Promise<void> {
  await until(() => post(urls[1] ?? '', message), { what: `${urls[1]} to answer` })
  const texts = await Promise.all(urls.map(async (url) => (await post(url, message)).text))
  if (texts[0]?.length !== texts[1]?.length) throw new Error(`Not the same replies:\n${texts.join('\n')}`)
}
