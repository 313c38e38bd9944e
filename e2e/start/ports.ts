import { connect, createServer } from 'node:net'

const HOST = '127.0.0.1'
const FIRST_UNPRIVILEGED = 1024
const LAST = 65_535
/** Ports to suggest lie this far from each other: near the wanted one and easy to type. */
const STEP = 10
const SUGGESTIONS = 50

/** A port that somebody asked for, and the flag that chooses another one. */
export interface WantedPort {
  port: number
  flag: string
  use: string
}

/** Whether we can have a port: `taken` by another program, or `forbidden` by the system. */
export type PortState = 'free' | 'taken' | 'forbidden'

/** Says of each port that cannot be had why, and which one to take instead. */
export async function findClosedPorts(
  wanted: readonly WantedPort[],
  probe: (port: number) => Promise<PortState> = probePort,
): Promise<string[]> {
  const spoken = new Set(wanted.map(({ port }) => port))
  const lines: string[] = []
  for (const { port, flag, use } of wanted) {
    const state = await probe(port)
    if (state === 'free') continue
    const other = await suggest(port, spoken, probe)
    spoken.add(other)
    lines.push(`Port ${port} for ${use} ${explain(state, port)}. Choose another one: ${flag} ${other}`)
  }
  return lines
}

/** @param listenOn tells the code of the error, if any. Port 0 means "any free one" and is always free. */
export async function probePort(port: number, listenOn = tryToListen): Promise<PortState> {
  if (port === 0) return 'free'
  if (await answers(port)) return 'taken'
  const code = await listenOn(port)
  if (code === undefined) return 'free'
  return code === 'EACCES' || code === 'EPERM' ? 'forbidden' : 'taken'
}

function explain(state: PortState, port: number): string {
  if (state === 'taken') return 'is taken by another program'
  return port < FIRST_UNPRIVILEGED
    ? `is not open to you: ports below ${FIRST_UNPRIVILEGED} need administrator rights`
    : 'is not open to you: the system does not allow it'
}

/** A free port near the wanted one that needs no rights, or 0 when there is none. */
async function suggest(port: number, spoken: ReadonlySet<number>, probe: typeof probePort): Promise<number> {
  const first = port < FIRST_UNPRIVILEGED ? 8000 + port : port + STEP
  for (let index = 0; index < SUGGESTIONS; index += 1) {
    const candidate = toPort(first + index * STEP)
    if (!spoken.has(candidate) && (await probe(candidate)) === 'free') return candidate
  }
  return 0
}

/** Ports beyond the last one go on above those that need rights. */
function toPort(number: number): number {
  return number <= LAST ? number : FIRST_UNPRIVILEGED + (number - LAST)
}

/** Some systems let two programs listen on one port under different addresses: whoever answers there owns it. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}

function tryToListen(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, HOST, () => server.close(() => resolve(undefined)))
  })
}
