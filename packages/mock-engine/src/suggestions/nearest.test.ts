import { describe, expect, it } from 'vitest'
import { findNearest } from './nearest.ts'

describe('findNearest', () => {
  it.each([
    ['--prot', '--port'],
    ['--Port', '--port'],
    ['--htp-port', '--http-port'],
    ['--http', '--http-port'],
    ['--zzz', undefined],
    ['', undefined],
  ])('takes %j for %j', (name, meant) => {
    expect(findNearest(name, ['--port', '--http-port', '--data'])).toBe(meant)
  })
})
