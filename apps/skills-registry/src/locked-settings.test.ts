import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { promptsFunctions, skillsFunctions } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { findConflict } from './options.ts'
import { createTextLog } from './testing/recorded-log.ts'
import { defaultOptions, startRegistry } from './testing/registry.ts'
import { serveRegistry } from './worker.ts'

const FUNCTIONS = [...Object.values(skillsFunctions), ...Object.values(promptsFunctions)].map(({ id }) => id)

describe('locked settings', () => {
  it('answer every function with line and reason, until they are mended', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const reason = 'line 3: state_timeout_ms: expected a number'
    registry.settings.locked = { file: '/data/skills.yaml', reason, mistakes: [reason] }
    const valid = { id: 'a', name: 'a', uri: 'iii://a', skill: 'x', description: 'x', function_id: 'x' }
    for (const id of FUNCTIONS) {
      for (const payload of [valid, { id: 5, name: 5, uri: 5 }]) {
        expect([id, await registry.refusal(id, payload)]).toEqual([
          id,
          `The configuration of the skills registry is malformed: ${reason} [unavailable]`,
        ])
      }
    }
    registry.settings.locked = undefined
    expect(await registry.call('skills::list')).toEqual({ skills: [] })
  })

  it('that are locked from the start open no scope', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    const log = { ...createTextLog(), debug: vi.fn() }
    await using worker = registerWorker(engine.url, { name: 'skills', log: createTextLog() })
    const locked = { file: '/data/skills.yaml', reason: 'line 3', mistakes: ['line 3'] }
    const value = { ...defaultOptions(), leaseMs: 600 }
    serveRegistry(worker, { value, locked, onChange: () => () => undefined }, log)
    await worker.ready()
    await vi.waitFor(() => expect(log.debug).toHaveBeenCalledTimes(2), { timeout: 5000 })
    expect(log.debug.mock.lastCall).toEqual([
      { reason: 'Fault: The configuration of the skills registry is malformed: line 3' },
      'who holds leases cannot be looked for; trying again',
    ])
    expect(sharedState.scopes()).toEqual([])
  })

  it('cannot make skills and prompts share a scope', () => {
    const settings = {
      skillsScope: 'x',
      promptsScope: 'x',
      stateTimeoutMs: 1,
      ownership: 'open',
      leaseMs: 30_000,
      frontmatter: 'render',
      listSkillFiles: false,
      freshIndex: false,
    } as const
    expect(findConflict(settings)).toEqual({
      options: ['skillsScope', 'promptsScope'],
      reason: "are both 'x': they must differ",
    })
    expect(findConflict({ ...settings, promptsScope: 'y' })).toBeUndefined()
  })
})
