/**
 * What a registry costs at least, and what one costs that keeps no index: a row by its key, and all rows rendered anew. No SDK: each
 * reply is sent once and at once.
 */
import { argv } from 'node:process'
import { connectBareBus } from './bare-bus.ts'

interface Row {
  id: string
  skill: string
  registered_at: string
}

const bus = await connectBareBus(argv[3] ?? '')
const readAll = async () => (await bus.call('state::list', { scope: 'skills' })) as Row[]
const toList = (rows: readonly Row[]) => JSON.stringify({ resources: rows.map(toEntry) })

bus.serve('floor::read', (data, reply) => {
  const { id: key } = data as { id: string }
  void bus.call('state::get', { scope: 'skills', key }).then((row) => reply(JSON.stringify(row)))
})
bus.serve('floor::list', (_, reply) => void readAll().then((rows) => reply(toList(rows))))
bus.serve('floor::index', (_, reply) => {
  void readAll().then((rows) => reply(JSON.stringify(rows.map(toLine).sort().join('\n'))))
})
// The least that such a list costs: it is there already.
let ready = toList([])
bus.serve('floor::prepare', (_, reply) => {
  void readAll().then((rows) => {
    ready = toList(rows)
    reply('{}')
  })
})
bus.serve('floor::ready-list', (_, reply) => reply(ready))

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
