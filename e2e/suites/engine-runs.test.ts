import { describe, expect, it } from 'vitest'
import { IN_SEARCH_MODE } from '../search-mode.ts'
import { pickInSpans, toEngineRuns } from './engine-runs.ts'

const engine = { url: 'ws://127.0.0.1:1', httpUrl: 'http://127.0.0.1:2' }
const searched = (filters: readonly string[]) =>
  toEngineRuns(engine, filters).flatMap(({ provide, include }) => (provide.searchMode === true ? include : []))

describe('the runs on a running engine', () => {
  it('are all scenarios as they are, and those of search mode once more in it', () => {
    const runs = toEngineRuns(engine, [])
    expect(runs.map(({ provide }) => provide)).toEqual([{ engine }, { engine, searchMode: true }])
    expect(runs[0]?.include).toEqual(['e2e/scenarios/**/*.test.ts'])
    expect(searched([])).toEqual(IN_SEARCH_MODE.map((name) => `e2e/scenarios/${name}.test.ts`))
  })

  it('are what the words choose, in both', () => {
    expect(toEngineRuns(engine, ['Curl'])[0]?.filters).toEqual(['Curl'])
    expect(searched(['Curl', 'gate'])).toEqual(['e2e/scenarios/curl.test.ts'])
    expect(toEngineRuns(engine, ['gate'])).toHaveLength(1)
  })

  it('are on an engine that keeps its spans what looks through them, where the words choose it', () => {
    const files = ['e2e/scenarios/traceless.test.ts']
    expect([[], ['gate', 'Traceless'], ['gate']].map(pickInSpans)).toEqual([files, files, []])
  })
})
