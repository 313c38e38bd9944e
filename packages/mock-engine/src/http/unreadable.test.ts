import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { answerUnreadable } from './unreadable.ts'

const SETTINGS = { timeoutMs: 1_000, cors: undefined, middleware: [], host: '127.0.0.1', port: 0 }

it('refuses what stands behind a long body without looking through the body again and again', async () => {
  const body = `${'a'.repeat(100_000)} `
  const error = Object.assign(new Error('unreadable'), {
    code: 'HPE_INVALID_METHOD',
    rawPacket: Buffer.from(`${body}no request`),
    bytesParsed: body.length,
  })
  const socket = new PassThrough()
  const before = process.cpuUsage()
  answerUnreadable(error, socket, () => expect.unreachable(), SETTINGS)
  expect(process.cpuUsage(before).user).toBeLessThan(300_000)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
})
