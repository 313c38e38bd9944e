import { requestOnce } from '../facts.ts'
import { readCorpus, readGolden } from '../search-quality.ts'
import { type Stack, startStack } from '../stack.ts'
import { toTokens } from '../tokens/tool-costs.ts'
import { until } from '../until.ts'
import { layOut } from './table.ts'

/** What tools take of the context of a model, in bytes: all of them in a list, or few and a search for the others. */
export interface SearchBytes {
  readonly tools: number
  readonly wholeList: number
  readonly list: number
  /** What is asked and answered, for each question: as the model reads it, which is the text. */
  readonly rounds: Readonly<Record<Detail, readonly number[]>>
}

const DETAILS = ['full', 'brief', 'names'] as const
type Detail = (typeof DETAILS)[number]

/** Asks a bridge with the functions of the corpus, in both modes. */
export async function measureSearchBytes(): Promise<SearchBytes> {
  await using stack = await startStack({ workers: ['bridge'], bridgeFlags: ['--no-builtins', '--tools', 'all'] })
  const corpus = readCorpus()
  for (const { id, description, requestSchema } of corpus) {
    stack.worker.registerFunction(id, () => 'done', {
      description,
      request_format: requestSchema as Record<string, unknown>,
    })
  }
  await stack.worker.ready()
  const wholeList = await until(
    async () => {
      const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list')) as { tools: object[] }
      return tools.length === corpus.length ? countBytes(tools) : undefined
    },
    { what: 'all tools to be listed' },
  )
  await stack.stop('mcp')
  await stack.startBridge(['--no-builtins', '--tools', 'search'])
  const list = await until(
    async () => {
      const found = await search(stack, { query: 'refund a payment', detail: 'names' })
      const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list')) as { tools: object[] }
      return found.includes('__') ? countBytes(tools) : undefined
    },
    { what: 'tools to be found' },
  )
  const rounds = { full: [] as number[], brief: [] as number[], names: [] as number[] }
  for (const { query } of readGolden()) {
    for (const detail of DETAILS) {
      const input = detail === 'full' ? { query } : { query, detail }
      rounds[detail].push(
        countBytes({ name: 'search_tools', arguments: input }) + Buffer.byteLength(await search(stack, input)),
      )
    }
  }
  return { tools: corpus.length, wholeList, list, rounds }
}

async function search({ mcpUrl }: Stack, input: object): Promise<string> {
  const { content } = (await requestOnce(mcpUrl, 'tools/call', { name: 'search_tools', arguments: input })) as {
    content: { text: string }[]
  }
  return content.map(({ text }) => text).join('')
}

function countBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

export function formatSearchBytes({ tools, wholeList, list, rounds }: SearchBytes): string {
  const toRow = (name: string, bytes: number) => [
    name,
    String(bytes),
    String(toTokens(bytes)),
    `${((bytes / wholeList) * 100).toFixed(1)} %`,
  ]
  const searches = DETAILS.flatMap((detail) => [
    toRow(`a search, ${detail}: median`, pick(rounds[detail], 0.5)),
    toRow(`a search, ${detail}: largest`, pick(rounds[detail], 1)),
  ])
  return layOut(`what ${tools} tools take of a context; tokens are bytes ÷ 4`, [
    ['', 'bytes', 'tokens', 'of whole list'],
    toRow('whole list', wholeList),
    toRow('list in search mode', list),
    ...searches,
  ])
}

function pick(counts: readonly number[], share: number): number {
  return [...counts].sort((a, b) => a - b)[Math.min(counts.length - 1, Math.floor(counts.length * share))] ?? 0
}
