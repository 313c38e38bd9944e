import { expect, it } from 'vitest'
import { formatReply } from './frames.ts'
import { keepJson } from './json-text.ts'
import { toMessageText } from './outgoing.ts'
import { createRepeatedBodies } from './repeated-body.ts'

const toFrame = (result: unknown, id = 'i') => toMessageText(formatReply(id, 'f', result, createRepeatedBodies()))

function counted() {
  let times = 0
  const value = {
    toJSON: () => {
      times += 1
      return { a: 1 }
    },
  }
  return { value, times: () => times }
}

it('a result that is kept is written once, and says the same in every frame', () => {
  const { value, times } = counted()
  const list = keepJson({ items: [value], text: '\ud83d €' })
  const frames = ['i1', 'i2', 'i3'].map((id) => JSON.parse(toFrame(list, id)) as object)
  expect(times()).toBe(1)
  for (const frame of frames) expect(frame).toMatchObject({ result: { items: [{ a: 1 }], text: '\ufffd €' } })
})

it('a result that is not kept is written each time', () => {
  const list: { items: number[] } = { items: [1] }
  toFrame(list)
  list.items.push(2)
  expect(JSON.parse(toFrame(list))).toMatchObject({ result: { items: [1, 2] } })
})

it('what JSON leaves out is no result, kept or not', () => {
  const nothing = { toJSON: () => undefined }
  expect(toFrame(keepJson(nothing))).toBe(toFrame(undefined))
})

it('what cannot be sent is refused each time', () => {
  const bad = keepJson({ n: Number.NaN })
  for (let times = 0; times < 2; times += 1) expect(() => toFrame(bad)).toThrow('not a JSON number')
})

it('what is larger than a frame is refused each time, and what just fits is sent', () => {
  const overhead = toFrame(keepJson({ text: '' })).length
  const most = 16 * 1024 * 1024 - overhead
  expect(toFrame(keepJson({ text: 'x'.repeat(most) }))).toHaveLength(most + overhead)
  const large = keepJson({ text: 'x'.repeat(most + 1) })
  for (let times = 0; times < 2; times += 1) expect(() => toFrame(large)).toThrow('the engine takes at most')
})
