import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { answerUnreadable } from './unreadable.ts'

const SETTINGS = { timeoutMs: 1_000, cors: undefined, middleware: [], host: '127.0.0.1', port: 0 }

it('refuses what stands behind a long body without looking through the body again and again', async () => {
  const toError = (size: number) => {
    const body = `${'a'.repeat(size)} `
    const rawPacket = Buffer.from(`${body}no request`)
    return Object.assign(new Error('unreadable'), { code: 'HPE_INVALID_METHOD', rawPacket, bytesParsed: body.length })
  }
  const answer = (error: Error) => {
    const socket = new PassThrough()
    answerUnreadable(error, socket, () => expect.unreachable(), SETTINGS)
    return text(socket)
  }
  expect(await answer(toError(1))).toMatch(/^HTTP\/1\.1 400 /)
  await expect(answer).toTakeLinearTime(toError, 100_000)
})
