/** What a registry costs at least, and what one costs that keeps no index: a row by its key, and all rows rendered anew. */
import { argv, env } from 'node:process'
import { keepJson, runWorker } from '@iii/sdk'

interface Row {
  id: string
  skill: string
  registered_at: string
}

await runWorker({
  name: 'skills-floor',
  version: '0.0.0',
  description: 'Reads the rows of the registry directly',
  argv: argv.slice(2),
  env,
  options: {},
  serve(worker) {
    const all = () => worker.trigger<Row[]>({ function_id: 'state::list', payload: { scope: 'skills' } })
    worker.registerFunction('floor::read', ({ id }: { id: string }) =>
      worker.trigger({ function_id: 'state::get', payload: { scope: 'skills', key: id } }),
    )
    worker.registerFunction('floor::list', async () => ({ resources: (await all()).map(toEntry) }))
    // The least that such a list costs: it is there already.
    let ready = keepJson({ resources: [] as object[] })
    worker.registerFunction('floor::prepare', async () => {
      ready = keepJson({ resources: (await all()).map(toEntry) })
    })
    worker.registerFunction('floor::ready-list', () => ready)
    worker.registerFunction('floor::index', async () => (await all()).map(toLine).sort().join('\n'))
    return undefined
  },
})

function toEntry(row: Row) {
  const { title, summary } = toOutline(row.skill)
  const annotations = { lastModified: row.registered_at }
  const size = Buffer.byteLength(row.skill)
  return {
    uri: `iii://${row.id}`,
    name: title,
    title,
    description: summary,
    mimeType: 'text/markdown',
    size,
    annotations,
  }
}

function toLine(row: Row): string {
  const { title, summary } = toOutline(row.skill)
  return `- [${title}](iii://${row.id}) — ${summary}`
}

/** The least that could be called an outline: first heading, first line of text. */
function toOutline(skill: string): { title: string; summary: string } {
  const [title = '', , summary = ''] = skill.split('\n', 3)
  return { title: title.slice(2), summary: summary.slice(0, 140) }
}
