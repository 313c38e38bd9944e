import { delimiter, dirname } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startManagedClient, untilGone, type WorkerPlace } from '../managed-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

function start() {
  const PATH = [dirname(inject('python')), process.env['PATH']].join(delimiter)
  return startManagedClient(stack.engineUrl, ['--allow-run'], {}, { PATH })
}

const PLACE = '"pid": os.getpid(), "leader": os.getppid(), "folder": os.getcwd()'
const CODES: readonly [string, string][] = [
  ['an async handler', `import os\nasync def handler(data):\n    return {"sum": data["a"] + data["b"], ${PLACE}}\n`],
  [
    'a handler that never ends by itself',
    `import os, signal, threading
def handler(data, metadata=None):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
    return {"sum": data["a"] + data["b"], ${PLACE}}
`,
  ],
]
for (const [what, code] of CODES) {
  scenario(
    ['management/python', 'management/ends'],
    `${what} in Python is a tool, and ends with the server`,
    async () => {
      await using client = await start()
      const input = { language: 'python', code, function_name: 'made::py' }
      expect(await client.call('iii_worker_register', input)).toMatchObject({ isError: false })
      const { data } = await client.call('made__py', { a: 2, b: 40 })
      expect(data).toMatchObject({ sum: 42 })
      process.kill(client.bridge.pid, 'SIGKILL')
      await untilGone(data as unknown as WorkerPlace)
    },
  )
}

scenario(['management/python'], 'what is wrong with a worker in Python is told', async () => {
  await using client = await start()
  const ask = (code: string) => client.call('iii_worker_register', { language: 'py', code, function_name: 'made::bad' })
  expect((await ask('x = 1')).text).toContain('the code defines no handler')
  const missing = await ask('import nowhere_to_be_found.part\n')
  expect(missing.text).toContain("No module named 'nowhere_to_be_found'")
  expect(missing.text).toContain('python3 -m pip install nowhere_to_be_found,')
  expect((await ask('x = 1\ndef handler(:\n')).text).toContain('SyntaxError in line 2 of handler.py')
})
