import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { findClosedPorts, type PortState, probePort } from './ports.ts'

async function listen(host: string) {
  const server = createServer((socket) => socket.destroy()).listen(0, host)
  await once(server, 'listening')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close }
}

describe('a port', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('is taken while somebody listens on %s, and free afterwards', async (host) => {
    await using server = await listen(host)
    await expect(probePort(server.port)).resolves.toBe('taken')
    await server.close()
    await expect(probePort(server.port)).resolves.toBe('free')
  })

  it('that means any free one is free', async () => {
    await expect(probePort(0)).resolves.toBe('free')
  })

  it.each([
    ['EACCES', 'forbidden'],
    ['EPERM', 'forbidden'],
    ['EADDRINUSE', 'taken'],
    [undefined, 'free'],
  ])('on which listening ends with %s is %s', async (code, state) => {
    await using server = await listen('127.0.0.1')
    await server.close()
    await expect(probePort(server.port, async () => code)).resolves.toBe(state)
  })
})

describe('what is said of ports that cannot be had', () => {
  const http = { port: 3111, flag: '--http-port', use: 'HTTP' }
  const engine = { port: 3121, flag: '--engine-port', use: 'the engine' }

  function probe(states: Record<number, PortState>) {
    return async (port: number): Promise<PortState> => states[port] ?? (port < 1024 ? 'forbidden' : 'free')
  }

  it('is nothing when they can', async () => {
    expect(await findClosedPorts([http, engine], probe({}))).toEqual([])
  })

  it('names a free one that is not the other of the two', async () => {
    expect(await findClosedPorts([http, engine], probe({ 3111: 'taken', 3131: 'taken' }))).toEqual([
      'Port 3111 for HTTP is taken by another program. Choose another one: --http-port 3141',
    ])
  })

  it('never names one port for both', async () => {
    const both = [http, { ...engine, port: 3112 }]
    const lines = await findClosedPorts(both, probe({ 3111: 'taken', 3112: 'taken', 3121: 'taken', 3122: 'taken' }))
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['3131', '3132'])
  })

  it('tells a port that needs rights from one that is taken, and names one that needs none', async () => {
    expect(await findClosedPorts([{ ...http, port: 80 }], probe({}))).toEqual([
      'Port 80 for HTTP is not open to you: ports below 1024 need administrator rights. Choose another one: --http-port 8080',
    ])
    expect(await findClosedPorts([http], probe({ 3111: 'forbidden' }))).toEqual([
      'Port 3111 for HTTP is not open to you: the system does not allow it. Choose another one: --http-port 3121',
    ])
  })

  it('names any free one when everything near is closed, and none beyond the last', async () => {
    const none = async (): Promise<PortState> => 'taken'
    expect((await findClosedPorts([http], none))[0]).toMatch(/--http-port 0$/)
    const [line] = await findClosedPorts([{ ...http, port: 65_535 }], probe({ 65535: 'taken' }))
    expect(line).toMatch(/--http-port 1034$/)
  })
})
