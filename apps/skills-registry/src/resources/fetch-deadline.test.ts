import { toFault } from '@iii/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FETCH_DEADLINE_MS, fetchDocument } from './fetch.ts'
import type { Resources } from './resources.ts'

describe('the deadline of a fetch', () => {
  afterEach(() => void vi.useRealTimers())

  /** Every address is read at once but those of sections, which take so long; `asked` are those that were begun. */
  function readSlowly(sectionMs: number) {
    const asked: string[] = []
    const read: Resources['read'] = async (uri) => {
      asked.push(uri)
      if (uri.startsWith('iii://fn/')) await new Promise((resolve) => setTimeout(resolve, sectionMs))
      return { contents: [{ uri, text: `read ${uri}` }] }
    }
    return { asked, read }
  }

  const sections = (count: number) => Array.from({ length: count }, (_, n) => `iii://fn/slow/s${n}`)

  it('is earlier than that of an MCP client, and everything that was read until then is in the answer', async () => {
    expect(FETCH_DEADLINE_MS).toBeLessThan(25_000)
    vi.useFakeTimers()
    const { asked, read } = readSlowly(0.4 * FETCH_DEADLINE_MS)
    const uris = ['iii://first', ...sections(30), 'iii://last']
    const answer = fetchDocument({ read }, uris, undefined)
    await vi.advanceTimersByTimeAsync(FETCH_DEADLINE_MS)
    const texts = (await answer).split('\n\n---\n\n').map((section) => section.split('\n\n')[1])
    // Two rounds of four ended in time, the third had begun.
    expect(texts).toEqual([
      'read iii://first',
      ...sections(8).map((uri) => `read ${uri}`),
      ...sections(4).map(() => 'Could not be read: no answer within the 20 s that one call may take'),
      ...sections(18).map(
        () => 'Could not be read: not begun within the 20 s that one call may take; fetch it in another call',
      ),
      'read iii://last',
    ])
    expect(asked).toHaveLength(2 + 12)
    await vi.runAllTimersAsync()
    expect(asked).toHaveLength(2 + 12)
  })

  it('is the error of a call that got nothing', async () => {
    vi.useFakeTimers()
    const { read } = readSlowly(2 * FETCH_DEADLINE_MS)
    const answer = fetchDocument({ read }, sections(1), undefined).catch(toFault)
    await vi.advanceTimersByTimeAsync(FETCH_DEADLINE_MS)
    expect(await answer).toMatchObject({
      code: 'deadline',
      message: 'no answer within the 20 s that one call may take',
    })
  })

  it('leaves no timer behind', async () => {
    vi.useFakeTimers()
    await fetchDocument({ read: readSlowly(0).read }, ['iii://a'], undefined)
    expect(vi.getTimerCount()).toBe(0)
  })
})
