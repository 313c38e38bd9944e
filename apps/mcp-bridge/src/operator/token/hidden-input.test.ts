import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readHidden } from './hidden-input.ts'

/** Somebody types these, and goes on. */
function type(...keys: readonly string[]) {
  const done: (boolean | string)[] = []
  const input = Object.assign(Readable.from([...keys, 'never read']), { setRawMode: (is: boolean) => done.push(is) })
  return { done, typed: readHidden(input, (text) => done.push(text)) }
}

it.each([
  [['secret\r'], 'secret'],
  [['s', 'ec', 'ret\n', 'more'], 'secret'],
  [['secretx\u007fy\b\r'], 'secret'],
  [['secret\u0004'], 'secret'],
  [['\r'], ''],
])('what is typed (%j) is read to the end of its line and not shown', async (keys, line) => {
  const { done, typed } = type(...keys)
  expect(await typed).toBe(line)
  expect(done).toEqual([true, 'Token (it is not shown): ', false, '\n'])
})

it('may be given up, and the terminal is as it was', async () => {
  const { done, typed } = type('sec\u0003')
  await expect(typed).rejects.toThrow('given up')
  expect(done.at(-2)).toBe(false)
})
