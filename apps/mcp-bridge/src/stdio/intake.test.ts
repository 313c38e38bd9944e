import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { untilAnswer } from '../testing/until.ts'
import { createIntake } from './intake.ts'
import { createLineWriter } from './line-writer.ts'

const LARGE = 'x'.repeat(5 * 1024 * 1024)

/** A client that reads when it is told to. */
function startClient(maxKeptBytes: number) {
  const input = new PassThrough()
  let read = () => {}
  const output = new Writable({
    write(_chunk, _encoding, done) {
      read = done
    },
  })
  const writer = createLineWriter(output)
  const taken: string[] = []
  const intake = createIntake({ input, writer, maxKeptBytes, take: (chunk) => void taken.push(String(chunk)) })
  return { input, intake, taken, writer, read: () => read() }
}

const turn = () => new Promise(setImmediate)

describe('what a client sends', () => {
  it('is taken at once while it reads', async () => {
    const { input, intake, taken } = startClient(10)
    input.write('a')
    await turn()
    expect(taken).toEqual(['a'])
    await intake.settled()
  })

  it('is kept in order while it does not, and the end is seen', async () => {
    const { input, intake, taken, writer, read } = startClient(10)
    let hasEnded = false
    input.on('end', () => {
      hasEnded = true
    })
    void writer.send(LARGE)
    for (const text of ['a', 'b']) {
      input.write(text)
      await turn()
    }
    input.end()
    await untilAnswer(
      () => hasEnded,
      (ended) => ended,
    )
    expect(taken).toEqual([])
    read()
    await intake.settled()
    expect(taken).toEqual(['a', 'b'])
  })

  it('waits where it is when it is more than can be kept', async () => {
    const { input, intake, taken, writer, read } = startClient(2)
    void writer.send(LARGE)
    for (const text of ['a', 'b', 'c']) {
      input.write(text)
      await turn()
    }
    expect(input.isPaused()).toBe(true)
    read()
    await intake.settled()
    expect([input.isPaused(), taken]).toEqual([false, ['a', 'b', 'c']])
  })

  it('is nothing any more once nobody takes it', async () => {
    const { input, intake, taken, writer, read } = startClient(2)
    void writer.send(LARGE)
    input.write('a')
    await turn()
    intake.close()
    read()
    await intake.settled()
    input.write('b')
    await turn()
    expect(taken).toEqual([])
  })
})
