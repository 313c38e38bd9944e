import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startRegistryStage } from '../testing/command.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'

describe('list', () => {
  it('shows id, size, time and title of every skill in columns', async () => {
    const registry = createMemoryRegistry({ orders: 'x'.repeat(2150), 'orders/refunds': 'é' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('list')).toEqual({
      code: 0,
      stdout: [
        'ID                 SIZE  REGISTERED (UTC)  TITLE',
        'orders          2.1 KiB  2026-11-21 09:30  The orders',
        'orders/refunds      2 B  2026-11-21 09:30  The orders/refunds',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it('shows what begins with the prefix alone', async () => {
    await using stage = await startRegistryStage(
      startMockEngine,
      createMemoryRegistry({ orders: '1', 'orders/a': '2', other: '3' }),
    )
    const { stdout } = await stage.run('list', 'orders/')
    expect(stdout.match(/^\S+/gm)).toEqual(['ID', 'orders/a'])
    const stderr = "no skills begin with 'none'; there are 3: orders, orders/a, other\n"
    expect(await stage.run('list', 'none')).toEqual({ code: 0, stdout: '', stderr })
  })

  it('is JSON for scripts', async () => {
    const registry = createMemoryRegistry({ a: 'x' })
    registry.row = { owner: 'orders' }
    registry.leftOut = 7
    await using stage = await startRegistryStage(startMockEngine, registry)
    const { code, stdout, stderr } = await stage.run('list', '--json')
    const skill = { id: 'a', bytes: 1, registered_at: '2026-11-21T09:30:00.000Z', owner: 'orders', title: 'The a' }
    expect([code, JSON.parse(stdout)]).toEqual([0, { skills: [skill], left_out: 7 }])
    expect(stderr).toBe('the registry has 7 more skills than it lists\n')
  })

  it('shows owners where the registry tells them', async () => {
    const registry = createMemoryRegistry({ a: 'x' })
    registry.row = { owner: 'orders' }
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect((await stage.run('list')).stdout).toMatch(/OWNER {3}TITLE\na .* orders {2}The a\n$/)
  })

  it('is cut to the width of the terminal, and of nothing else', async () => {
    await using stage = await startRegistryStage(
      startMockEngine,
      createMemoryRegistry({ [`a/${'b'.repeat(60)}`]: 'x' }),
    )
    const { stdout } = await stage.runOnTerminal(40, 'list')
    expect(stdout.split('\n').map((line) => line.length)).toEqual([40, 40, 0])
    expect(stdout).toContain('a/bbbbbbbbbbbbbbbbb…')
    expect((await stage.run('list')).stdout).toContain('b'.repeat(60))
  })

  it('shows what could move the cursor as text', async () => {
    const registry = createMemoryRegistry({ '\u001b[2Jx': 'x' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect((await stage.run('list')).stdout).not.toContain('\u001b')
    expect((await stage.run('list')).stdout).toContain(String.raw`\u{1b}[2Jx`)
  })
})

describe('prompts list', () => {
  it('shows name, handler, number of arguments, time and description', async () => {
    const registry = createMemoryRegistry()
    registry.prompts.set('refund', 'Pay back').set('ship', 'Send')
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect((await stage.run('prompts', 'list', 're')).stdout).toBe(
      [
        'NAME    FUNCTION    ARGS  REGISTERED (UTC)  DESCRIPTION',
        'refund  on::refund     1  2026-11-21 09:30  Pay back',
        '',
      ].join('\n'),
    )
    const { prompts } = JSON.parse((await stage.run('prompts', 'list', '--json')).stdout)
    expect(prompts).toMatchObject([{ name: 'refund', description: 'Pay back' }, { name: 'ship' }])
  })
})

describe('read', () => {
  it('writes the body byte for byte', async () => {
    const body = '\uFEFF---\r\nname: x\n---\n\n😀 no line at the end'
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: body }))
    expect(await stage.run('read', 'a')).toEqual({ code: 0, stdout: body, stderr: '' })
    expect((await stage.run('read', 'iii://a')).stdout).toBe(body)
    expect(JSON.parse((await stage.run('read', 'a', '--json')).stdout)).toMatchObject({ contents: [{ text: body }] })
  })

  it('writes on a terminal what the body shows, and nothing that the terminal would obey', async () => {
    const body = '# A\u001b[2J\u009b5m\r\n\tb\u202e\u0007 é😀\n'
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: body }))
    expect(await stage.runOnTerminal(80, 'read', 'a')).toEqual({
      code: 0,
      stdout: '# A\\u{1b}[2J\\u{9b}5m\n\tb\\u{202e}\\u{7} é😀\n',
      stderr: '',
    })
    expect((await stage.run('read', 'a')).stdout).toBe(body)
    const { stdout } = await stage.runOnTerminal(80, 'read', 'a', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ contents: [{ text: body }] })
    expect(stdout).toContain('\\u009b5m')
    expect(stdout).toContain('b\\u202e')
  })

  it('says on a terminal how to have bytes that are no text', async () => {
    const registry = createMemoryRegistry()
    const blob = Buffer.from([0x1b, 0x63, 0xff]).toString('base64')
    registry.call = async () => ({ contents: [{ uri: 'iii://fn/x/y', mimeType: 'image/png', blob }] })
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.runOnTerminal(80, 'read', 'iii://fn/x/y')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'image/png, 3 bytes: not for a terminal; put > FILE behind the command\n',
    })
    expect((await stage.run('read', 'iii://fn/x/y')).code).toBe(0)
  })

  it('reads the files of skills at their addresses', async () => {
    const registry = createMemoryRegistry()
    const asked: unknown[] = []
    registry.call = async (_id, { uri }) => {
      asked.push(uri)
      return { contents: [{ uri, mimeType: 'text/plain', text: 'all of it' }] }
    }
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('read', 'skill://a/b%20c.txt')).toEqual({ code: 0, stdout: 'all of it', stderr: '' })
    expect(asked).toEqual(['skill://a/b%20c.txt'])
    const { code, stderr } = await stage.run('read', 'skill://a/b c.txt')
    expect([code, stderr]).toEqual([2, expect.stringContaining('has one spelling; write skill://a/b%20c.txt')])
    expect((await stage.run('read', 'https://a')).stderr).toContain('must start with iii:// or skill://')
  })

  it('says what is not there, and what is no id', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry())
    expect(await stage.run('read', 'a')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'iii-skills: Skill not found: iii://a\n',
    })
    const { code, stderr } = await stage.run('read', 'A')
    expect([code, stderr]).toEqual([2, expect.stringContaining('lowercase ASCII letters')])
  })

  it('does not take a function that is missing for a registry that is', async () => {
    const registry = createMemoryRegistry()
    registry.before = () => {
      throw new Fault('unavailable', "trigger x::y: Function 'x::y' is not registered.")
    }
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('read', 'iii://fn/x/y')).toEqual({
      code: 3,
      stdout: '',
      stderr: "iii-skills: trigger x::y: Function 'x::y' is not registered.\n",
    })
  })
})
