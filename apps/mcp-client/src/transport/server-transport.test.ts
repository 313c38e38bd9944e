import { describe, expect, it } from 'vitest'
import { createCounts } from '../diagnostics/counts.ts'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { createMemoryProcess } from '../testing/memory-process.ts'
import { createServerTransport } from './server-transport.ts'

const REQUEST = { jsonrpc: '2.0', method: 'tools/call' } as const

async function start({ messageBytes = 4_096 } = {}) {
  const clock = createManualClock()
  const process = createMemoryProcess()
  const counts = createCounts()
  const seen = { messages: [] as unknown[], notifications: [] as string[], broken: [] as string[], closed: 0 }
  const transport = createServerTransport({
    ...{ process, messageBytes: () => messageBytes, clock, counts },
    onNotification: (method) => seen.notifications.push(method),
    onInitialize: () => undefined,
    onLateAnswers: () => undefined,
    onBroken: (why) => seen.broken.push(why),
  })
  transport.onmessage = (message) => seen.messages.push(message)
  transport.onclose = () => {
    seen.closed++
  }
  await transport.start()
  const write = async (text: string | Buffer) => {
    process.stdout.write(text)
    await settle()
  }
  return { clock, process, counts, seen, transport, write }
}

describe('the transport', () => {
  it('hands an answer to whoever asked, and counts those that nobody asked for', async () => {
    const { transport, seen, write, counts } = await start()
    await transport.send({ ...REQUEST, id: 1 })
    await write('{"jsonrpc":"2.0","id":2,"result":{}}\n{"jsonrpc":"2.0","id":null,"result":{}}\n')
    await write('{"jsonrpc":"2.0","id":1,"result":{"a":1}}\n{"jsonrpc":"2.0","id":1,"result":{"a":2}}\n')
    expect(seen.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: { answer: { result: { a: 1 } }, bytes: 41 } }])
    expect(counts.all()).toEqual({ ignored_responses: 3 })
  })

  it.each([
    ['{"jsonrpc":"2.0","id":1}', 'neither a result nor an error'],
    ['{"jsonrpc":"2.0","id":1,"error":null}', 'neither a result nor an error'],
    ['{"jsonrpc":"2.0","id":1,"error":"no such tea"}', 'no such tea'],
  ])('takes %s for an answer that failed, so that nobody waits on', async (line, message) => {
    const { transport, seen, write } = await start()
    await transport.send({ ...REQUEST, id: 1 })
    await write(`${line}\n`)
    expect(seen.messages).toMatchObject([
      { id: 1, result: { answer: { error: { code: -32_603, message: expect.stringContaining(message) } } } },
    ])
  })

  it('ends a connection on which a line grows too long, and reads no more of it', async () => {
    const { seen, write, transport } = await start({ messageBytes: 1_000 })
    await transport.send({ ...REQUEST, id: 1 })
    await write(`{${'x'.repeat(5_000)}`)
    await write('\n{"jsonrpc":"2.0","id":1,"result":{}}\n')
    expect(seen).toMatchObject({ broken: ['message_too_large'], closed: 1, messages: [] })
  })

  it('bears a banner before the handshake, and breaks off where it has no end', async () => {
    const { seen, write, counts } = await start()
    await write('a line\n'.repeat(200))
    expect(counts.all()).toEqual({ skipped_lines: 200 })
    expect(seen.broken).toEqual([])
    await write('one more\n')
    expect(seen.broken).toEqual(['stdout_garbage'])
  })

  it('bears 64 KiB of binary before the handshake, and no more', async () => {
    const { seen, write } = await start()
    await write(Buffer.alloc(64 * 1024, 1))
    expect(seen.broken).toEqual([])
    await write(Buffer.alloc(1, 1))
    expect(seen.broken).toEqual(['stdout_garbage'])
  })

  it('bears twenty lines a minute after the handshake', async () => {
    const { seen, write, transport, clock } = await start()
    await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize' })
    await write('{"jsonrpc":"2.0","id":0,"result":{}}\n')
    await write('oops\n'.repeat(20))
    await clock.advance(60_000)
    await write('{"no":"message"}\n'.repeat(20))
    expect(seen.broken).toEqual([])
    await write('oops\n')
    expect(seen.broken).toEqual(['stdout_garbage'])
  })

  it('takes a line that is none for one, however long it is and in how many pieces it comes, up to 8 MiB a minute', async () => {
    const { seen, write, transport, counts, clock } = await start()
    await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize' })
    await write('{"jsonrpc":"2.0","id":0,"result":{}}\n')
    for (let nth = 0; nth < 500; nth++) await write('.')
    await write(' done\n')
    await write('x'.repeat(8 * 2 ** 20 - 505))
    expect(seen.broken).toEqual([])
    expect(counts.all()).toEqual({ skipped_lines: 2 })
    await write('xx')
    await clock.advance(1_000)
    expect(seen.broken).toEqual(['stdout_garbage'])
  })

  it('hands on requests without what is in them, and drops answers that nobody reads', async () => {
    const { seen, write, transport, counts, process } = await start({ messageBytes: 1_000_000 })
    await write(
      '{"jsonrpc":"2.0","id":"a","method":"sampling/createMessage","params":{"_meta":{"progressToken":{}}}}\n',
    )
    expect(seen.messages).toEqual([{ jsonrpc: '2.0', id: 'a', method: 'sampling/createMessage' }])
    process.stdin.pause()
    const answer = { jsonrpc: '2.0', id: 'a', error: { code: -32601, message: 'x'.repeat(1_000) } } as const
    for (let nth = 0; nth < 1_000; nth++) await transport.send(answer)
    expect(process.stdin.writableLength + process.stdin.readableLength).toBeLessThan(200_000)
    expect(counts.all()).toMatchObject({ refused_requests: 1, unanswered_requests: expect.any(Number) })
  })

  it('fails what it cannot send, where a server does not read', async () => {
    const { transport, process } = await start({ messageBytes: 100_000 })
    process.stdin.pause()
    const call = (id: number) => transport.send({ ...REQUEST, id, params: { text: 'x'.repeat(20_000) } })
    let failure: unknown
    for (let id = 1; id < 20 && failure === undefined; id++) failure = await call(id).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'unavailable' })
    await expect(transport.send({ ...REQUEST, id: 99, params: { text: 'x'.repeat(100_000) } })).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  it('breaks off where nobody hears it any more', async () => {
    const { transport, process, seen, clock } = await start()
    process.stdin.destroy(new Error('write EPIPE'))
    await settle()
    await clock.advance(500)
    expect(seen).toMatchObject({ broken: ['stdin_closed'], closed: 1 })
    await expect(transport.send({ ...REQUEST, id: 1 })).rejects.toMatchObject({ code: 'worker_lost' })
  })

  it('says that a request was given up only where one waits', async () => {
    const { transport, process, write, counts } = await start()
    await transport.send({ ...REQUEST, id: 1 })
    const cancel = (requestId: number) =>
      transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    await cancel(2)
    await cancel(1)
    await settle()
    expect(process.heard.map(({ params }) => params)).toEqual([undefined, { requestId: 1 }])
    await write('{"jsonrpc":"2.0","id":1,"result":{}}\n')
    expect(counts.all()).toEqual({ ignored_responses: 1 })
  })

  it('holds up a server that sends without end what nobody asked for', async () => {
    const { seen, write, process, clock } = await start()
    const note = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
    await write(note.repeat(1_001))
    await write(note)
    expect(process.stdout.isPaused()).toBe(true)
    expect(seen.notifications).toHaveLength(1_001)
    await clock.advance(1_000)
    expect(process.stdout.isPaused()).toBe(false)
    expect(seen.notifications).toHaveLength(1_002)
  })

  it('holds up a server that sends a lot in few messages, too', async () => {
    const { write, process, clock } = await start({ messageBytes: 2 ** 21 })
    const long = `{"jsonrpc":"2.0","method":"a","params":{"text":"${'x'.repeat(2 ** 20)}"}}\n`
    await write(long)
    expect(process.stdout.isPaused()).toBe(true)
    await clock.advance(1_000)
    expect(process.stdout.isPaused()).toBe(false)
  })

  it.each([['\n'.repeat(1_001)], [' '.repeat(2 ** 20 + 1)], ['\ufeff'.repeat(2 ** 19)]])(
    'holds up a server that sends blanks without end',
    async (blanks) => {
      const { write, process, transport, seen, clock } = await start()
      await write(blanks)
      expect(process.stdout.isPaused()).toBe(true)
      await transport.send({ ...REQUEST, id: 1 })
      await write('{"jsonrpc":"2.0","id":1,"result":{}}\n')
      expect(seen.messages).toEqual([])
      await clock.advance(1_000)
      expect(seen).toMatchObject({ messages: [{ id: 1 }], broken: [] })
    },
  )

  it('reads nothing of a batch of more messages than anybody has to say', async () => {
    const { seen, write, counts } = await start({ messageBytes: 2 ** 20 })
    const batch = (size: number) =>
      JSON.stringify(Array.from({ length: size }, () => ({ jsonrpc: '2.0', method: 'a' })))
    await write(`${batch(1_001)}\n`)
    expect(seen.notifications).toEqual([])
    expect(counts.all()).toEqual({ skipped_lines: 1 })
  })

  it('takes a batch, as one revision had them', async () => {
    const { seen, write } = await start()
    await write('[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"},7]\n')
    expect(seen.notifications).toEqual(['a', 'b'])
  })
})
