import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { InvocationError } from './engine/invocation-error.ts'
import { startMockStage } from './testing/mock-stage.ts'

const home = fileURLToPath(new URL('..', import.meta.url))

it('runs the worker of the README as printed', async () => {
  const readme = await readFile(`${home}/README.md`, 'utf8')
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? []
  expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20)

  await using stage = await startMockStage(startMockEngine)
  const client = await stage.connect()
  const published: unknown[] = []
  client.registerFunction('skills::register', (payload) => void published.push(payload))
  await client.ready()
  const argv = ['--conditions=@iii/source', '--import', 'tsx', '--input-type=module', '-', '--url', stage.engine.url]
  const child = spawn(process.execPath, [...argv, '--hello', 'Welcome'], { cwd: home })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => {
    stdout += data
  })
  child.stderr.on('data', (data) => {
    stderr += data
  })
  const exit = once(child, 'close')
  child.stdin.end(code)
  try {
    await expect.poll(() => stderr, { timeout: 20_000 }).toContain('"msg":"ready"')
    const greet = (name: unknown) => client.trigger({ function_id: 'greeter::greet', payload: { name } })
    expect(await greet('Ada')).toEqual({ text: 'Welcome, Ada!', greeted: 1 })
    expect(await greet('Bob')).toEqual({ text: 'Welcome, Bob!', greeted: 2 })
    const refusal = await greet(5).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InvocationError)
    expect((refusal as InvocationError).message).toBe('name: must be a string, not a number [invalid_input]')
    await expect.poll(() => published).toMatchObject([{ id: 'greeter' }])
  } finally {
    child.kill('SIGINT')
  }
  expect(await exit).toEqual([0, null])
  expect(stdout).toBe('')
})
