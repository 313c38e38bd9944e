import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startRegistryStage } from '../testing/command.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'

describe('remove', () => {
  it('removes what is named and nothing else', async () => {
    const registry = createMemoryRegistry({ a: '1', 'a/b': '2', c: '3' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('remove', 'a', 'c', 'a')).toEqual({ code: 0, stdout: '2 removed\n', stderr: '' })
    expect([...registry.skills.keys()]).toEqual(['a/b'])
  })

  it('goes on after one that is not there, and says so', async () => {
    const registry = createMemoryRegistry({ a: '1', c: '3' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('remove', 'a', 'b', 'c')).toEqual({
      code: 3,
      stdout: '2 removed, 1 not there\n',
      stderr: 'b: is not there\n',
    })
    expect(registry.skills.size).toBe(0)
  })

  it('goes on after one that fails', async () => {
    const registry = createMemoryRegistry({ a: '1', b: '2' })
    registry.before = (call) => {
      if (call === 'skills::unregister a') throw new Fault('forbidden', 'a belongs to orders')
    }
    await using stage = await startRegistryStage(startMockEngine, registry)
    const { code, stdout, stderr } = await stage.run('remove', 'a', 'b', '--json')
    expect([code, stderr]).toEqual([1, 'a: a belongs to orders\n'])
    expect(JSON.parse(stdout)).toMatchObject({ removed: ['b'], failed: [{ name: 'a', reason: 'a belongs to orders' }] })
  })

  it('removes nothing when one of the ids is none', async () => {
    const registry = createMemoryRegistry({ a: '1' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect((await stage.run('remove', 'a', 'B')).code).toBe(2)
    expect(registry.calls).toEqual([])
  })

  it('takes ids that are reserved today, and such that begin with a dash', async () => {
    const registry = createMemoryRegistry({ 'functions/x': '1', '-a': '2' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect((await stage.run('remove', 'functions/x', '--', '-a')).code).toBe(0)
    expect(registry.skills.size).toBe(0)
  })

  it('only says what it would do when it is asked to', async () => {
    const registry = createMemoryRegistry({ a: '1', hidden: '2' })
    registry.hidden.add('hidden')
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('remove', '--dry-run', 'a', 'b', 'hidden')).toEqual({
      code: 3,
      stdout: expect.stringMatching(/^removed a\n(.*\n)*2 removed, 1 not there \(dry run: nothing was done\)\n$/),
      stderr: 'b: is not there\n',
    })
    expect(registry.skills.size).toBe(2)
  })
})

describe('prompts remove', () => {
  it('removes what is named, or says what would be', async () => {
    const registry = createMemoryRegistry()
    registry.prompts.set('refund', '').set('ship', '')
    await using stage = await startRegistryStage(startMockEngine, registry)
    const dry = await stage.run('prompts', 'remove', 'refund', 'none', '--dry-run')
    expect([dry.code, dry.stdout]).toEqual([3, 'removed refund\n1 removed, 1 not there (dry run: nothing was done)\n'])
    expect((await stage.run('prompts', 'remove', 'refund')).code).toBe(0)
    expect([...registry.prompts.keys()]).toEqual(['ship'])
    expect((await stage.run('prompts', 'remove', 'Refund')).code).toBe(2)
  })
})
