import { describe, expect, it } from 'vitest'
import { findMissingNeeds } from './engine-needs.ts'

const STATE = ['get', 'set', 'delete', 'list', 'update'].map((name) => ({ function_id: `state::${name}` }))

describe('what start needs of an engine', () => {
  it('is all there with the http trigger and the functions of state', () => {
    expect(findMissingNeeds(STATE, ['cron', 'http'])).toBeUndefined()
  })

  it('is named when it is missing, with what the configuration has to say', () => {
    expect(findMissingNeeds(STATE, ['cron'])?.join('\n')).toBe(
      [
        'runs without its worker iii-http, which start needs.',
        "Add to the list `workers:` of that engine's config.yaml:",
        '  - name: iii-http',
        '    config: { host: 127.0.0.1, port: 3111 }',
      ].join('\n'),
    )
    expect(findMissingNeeds(STATE.slice(1), ['http'])?.at(-1)).toBe('  - name: iii-state')
  })

  it('is named together', () => {
    expect(findMissingNeeds([], [])?.[0]).toBe('runs without its workers iii-http and iii-state, which start needs.')
  })
})
