import { join } from 'node:path'
import { createCleanup } from '../cleanup.ts'
import { startEngineProgram } from '../engine-program.ts'
import { connectToEngine } from '../facts.ts'
import { keepsSpans } from '../kept.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'
import type { NamedEngine } from './named-engine.ts'

/** Where nothing is said an engine keeps the last thousand. */
const ROOM = { memory_max_spans: 100_000, logs_max_count: 100_000 }
const EVERY_SPAN = { enabled: true, exporter: 'memory', level: 'info', ...ROOM }
const IN_MEMORY = { name: 'kv', config: { store_method: 'in_memory' } }

/** Starts the program of an engine that keeps all its spans, and what it writes, in a folder that is gone with it. */
export async function startKeepingEngine(program: string): Promise<NamedEngine> {
  const { use, run } = createCleanup()
  try {
    const { path } = use(await createTempFolder())
    const outputFile = join(path, 'output.log')
    const { url, httpUrl } = use(
      await startEngineProgram(program, path, IN_MEMORY, { observability: EVERY_SPAN, outputFile }),
    )
    await expectSpans(url)
    return { address: { url, httpUrl, outputFile }, [Symbol.asyncDispose]: run }
  } catch (error) {
    await run()
    throw error
  }
}

async function expectSpans(url: string): Promise<void> {
  const control = connectToEngine(url, 'e2e')
  try {
    await until(() => keepsSpans(control), { what: `${url} to say that it keeps spans`, deadlineMs: 20_000 })
  } finally {
    await control.shutdown()
  }
}
