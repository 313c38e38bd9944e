import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCleanup } from '../cleanup.ts'
import { requestOnce } from '../facts.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires, type WireClients } from '../wire-clients.ts'
import { IDS, offerMatrix, promptOf, SETTINGS, storePrompts } from './reasons.ts'

/** Bridges on all wires with all functions of the matrix behind them, and a prompt for each. */
export interface MatrixStage extends AsyncDisposable {
  readonly stack: Stack
  readonly clients: WireClients['clients']
  /** The functions that ran, in that order. */
  readonly ran: readonly string[]
  /** Writes other settings beside those of the matrix into the file of the bridges. */
  write(settings: string): Promise<void>
}

/** @param settings beside those of the matrix */
export async function startMatrixStage(settings: string): Promise<MatrixStage> {
  const { use, run } = createCleanup()
  try {
    const config = join(use(await createTempFolder()).path, 'mcp.yaml')
    const write = (text: string) => writeFile(config, `${SETTINGS}${text}\n`)
    await write(settings)
    const bridgeFlags = ['--config', config]
    const stack = use(await startStack({ workers: ['skills', 'bridge'], bridgeFlags }))
    const ran = offerMatrix(stack.worker)
    await storePrompts(stack.worker)
    const { clients } = use(await connectWires(stack, bridgeFlags))
    await until(() => isKnown(stack), { what: 'registry and bridge to know everything' })
    return { stack, clients, ran, write, [Symbol.asyncDispose]: run }
  } catch (error) {
    await run()
    throw error
  }
}

const SEARCHED = { name: 'search_tools', arguments: { query: 'matrix open', detail: 'names' } }

async function isKnown({ worker, mcpUrl }: Stack): Promise<boolean> {
  const { prompts } = await worker.trigger<{ prompts: { name: string }[] }>({ function_id: 'prompts::list' })
  const names = prompts.map(({ name }) => name)
  const tools = [await requestOnce(mcpUrl, 'tools/list'), await requestOnce(mcpUrl, 'tools/call', SEARCHED)]
  return IDS.every((id) => names.includes(promptOf(id))) && JSON.stringify(tools).includes('"matrix__open"')
}
