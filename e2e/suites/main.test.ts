import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { runToEnd } from '../child.ts'
import { connectToEngine } from '../facts.ts'

function runSuite(name: string, env: Record<string, string> = {}, words: readonly string[] = []) {
  return runToEnd({ name, entry: new URL('./main.ts', import.meta.url), args: [name, ...words], env })
}

describe('the suite on a running engine', () => {
  it('fails without one, and says how to name it', async () => {
    const { code, stdout, stderr } = await runSuite('engine')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('III_TEST_ENGINE_URL=ws://127.0.0.1:49134 III_TEST_HTTP_URL=http://127.0.0.1:3111')
  })

  it('fails when a program is named that cannot be run', async () => {
    const { code, stdout, stderr } = await runSuite('engine', { III_TEST_ENGINE_PROGRAM: '/nowhere/iii' })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('III_TEST_ENGINE_PROGRAM has to name the program of the engine')
    expect(stderr).toContain('not /nowhere/iii')
  })

  it('fails when one of the addresses is missing', async () => {
    const { code, stderr } = await runSuite('engine', { III_TEST_ENGINE_URL: 'ws://127.0.0.1:9' })
    expect(code).toBe(2)
    expect(stderr).toContain("III_TEST_HTTP_URL has to be a URL like http://127.0.0.1:3111, not ''")
  })

  it('fails when no engine answers there, whatever else does', async () => {
    const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const env = { III_TEST_ENGINE_URL: `ws://${address}`, III_TEST_HTTP_URL: `http://${address}` }
    const { code, stdout, stderr } = await runSuite('engine', env)
    server.close()
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `No engine answers at ws://${address}.` })
  })
})

it('an engine that lacks what scenarios take for granted is told what that is', async () => {
  await using engine = await startMockEngine()
  await using thief = connectToEngine(engine.url, 'thief')
  thief.registerFunction('engine::triggers::list', () => ({ triggers: [{ id: 'http' }, { id: 'state' }] }))
  await thief.ready({ timeoutMs: 5000 })
  const env = { III_TEST_ENGINE_URL: engine.url, III_TEST_HTTP_URL: engine.httpUrl }
  const { code, stderr } = await runSuite('engine', env)
  const lacks = 'iii-pubsub, iii-queue, iii-cron, iii-observability'
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `The engine at ${engine.url} has to have ${lacks} in its config.yaml.`,
  })
})

it('two runs do not share an engine', async () => {
  await using engine = await startMockEngine()
  await using other = connectToEngine(engine.url, 'e2e')
  other.registerFunction('e2e::reserved', () => null)
  await other.ready({ timeoutMs: 5000 })
  const { code, stderr } = await runSuite('engine', {
    III_TEST_ENGINE_URL: engine.url,
    III_TEST_HTTP_URL: engine.httpUrl,
  })
  expect({ code, stderr }).toEqual({ code: 2, stderr: `Another run of these suites is on ${engine.url}.` })
})

it('a word that chooses no file is told from those that would', async () => {
  const { code, stdout, stderr } = await runSuite('python', {}, ['ruby'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^No file has ruby in its name: there are .*e2e\/python\/python-sdk\.test\.ts/)
})

it('a suite that does not exist is told from those that do', async () => {
  const { code, stderr } = await runSuite('ruby')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "No suite 'ruby': there are engine, python, nodes, servers, browser, install, redis, times",
  })
})
