import { describe, expect, it } from 'vitest'
import { refuse } from './exposure.ts'
import { formatUri, parseUri } from './uri.ts'

const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }

describe('what plain JavaScript does wrong is told with what would be right', () => {
  it.each([
    { asked: ['orders::create', {}], what: 'needs the rules of the bridge, such as { requireExpose: false' },
    { asked: ['state::set', {}], what: 'needs the rules of the bridge' },
    { asked: ['orders::create', {}, {}, 'tool'], what: 'hiddenPrefixes: [] }' },
    { asked: ['orders::create', {}, rules], what: "needs the way of the call: 'tool', 'section' or 'prompt'" },
    { asked: ['orders::create', {}, rules, 'toString'], what: 'needs the way of the call' },
  ])('refuse: $what', ({ asked, what }) => {
    const call = refuse as (...words: unknown[]) => unknown
    expect(() => call(...asked)).toThrow(what)
    expect(() => call(...asked)).toThrow('refuse(functionId, metadata, rules, via)')
  })

  it.each([parseUri('https://x'), null, 'iii://skills', {}, { kind: 'skill' }, { kind: 'section' }, { kind: 'x' }])(
    'formatUri of %j',
    (uri) => {
      expect(() => formatUri(uri as never)).toThrow("formatUri takes { kind: 'index' }, { kind: 'skill', id }")
      expect(() => formatUri(uri as never)).toThrow('explainUri says why')
    },
  )
})
