import { createServer } from 'node:net'
import { startChild } from './child.ts'
import { inspectorEntry } from './inspector.ts'
import { createTempFolder } from './stack.ts'
import { until } from './until.ts'

/** The page of the MCP Inspector, served by its own program. */
export interface InspectorWeb extends AsyncDisposable {
  readonly url: string
}

/** Serves it for one server, which it does not connect to by itself. It keeps what it stores in a folder that is gone with it. */
export async function startInspectorWeb(mcpUrl: string): Promise<InspectorWeb> {
  const home = await createTempFolder()
  const port = await findPort()
  const env = {
    ...{ HOME: home.path, USERPROFILE: home.path, MCP_STORAGE_DIR: home.path, MCP_INSPECTOR_SECRET_STORE: 'memory' },
    ...{ HOST: '127.0.0.1', CLIENT_PORT: String(port) },
    ...{ MCP_AUTO_OPEN_ENABLED: 'false', DANGEROUSLY_OMIT_AUTH: 'true' },
  }
  const args = ['--web', '--transport', 'http', '--server-url', mcpUrl]
  const child = startChild({ name: 'inspector', entry: inspectorEntry, args, env })
  const url = `http://127.0.0.1:${port}`
  const isServed = async () => (await fetch(url).catch(() => undefined))?.ok === true
  const end = async () => {
    await child.stop()
    await home[Symbol.asyncDispose]()
  }
  await until(isServed, { what: 'the Inspector to be served', deadlineMs: 20_000 }).catch(async (error: Error) => {
    await end()
    throw new Error(`${error.message}\n${[...child.stdout, ...child.stderr].join('\n')}`)
  })
  return { url, [Symbol.asyncDispose]: end }
}

/** The Inspector wants to be told its port. */
async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => void server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
