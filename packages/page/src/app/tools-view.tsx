import type { Tool } from '@modelcontextprotocol/client'
import { ToolCaller } from './caller.tsx'
import { failures, listedTools } from './connection.ts'
import { Json } from './content.tsx'
import { Fold } from './fold.tsx'
import { Split } from './list.tsx'
import type { FieldSchema } from './schema-fields.ts'
import { SchemaTable } from './schema-table.tsx'

export function ToolsView({ what }: { what: string }) {
  const tool = listedTools.value.find(({ name }) => name === what)
  const rows = listedTools.value.map(({ name, title, description }) => ({
    key: name,
    title: title ?? name,
    about: title === undefined ? description : `${name}: ${description ?? ''}`,
  }))
  return (
    <Split view="tools" rows={rows} chosen={what} noun="tools" failure={failures.value.tools}>
      {tool && <ToolDetail key={tool.name} tool={tool} />}
      {!tool && <p class="quiet">{what === '' ? 'Choose a tool.' : `There is no tool ${what} now.`}</p>}
    </Split>
  )
}

const HINTS = {
  readOnlyHint: ['reads only', 'changes something'],
  destructiveHint: ['may destroy', 'destroys nothing'],
  idempotentHint: ['twice is like once', 'twice is not like once'],
  openWorldHint: ['reaches outside', 'stays inside'],
} as const

function ToolDetail({ tool }: { tool: Tool }) {
  return (
    <article>
      <h2>
        <bdi>{tool.title ?? tool.name}</bdi>
      </h2>
      <p>
        <code>
          <bdi>{tool.name}</bdi>
        </code>
        {Object.entries(HINTS).map(([hint, [yes, no]]) => {
          const said = tool.annotations?.[hint as keyof typeof HINTS]
          return said === undefined ? null : (
            <span key={hint} class="tag">
              {said ? yes : no}
            </span>
          )
        })}
      </p>
      <p class="long">
        <bdi>{tool.description}</bdi>
      </p>
      <ToolCaller tool={tool} />
      <Fold summary="What it takes">{() => <Schema schema={tool.inputSchema as FieldSchema} />}</Fold>
      {tool.outputSchema && (
        <Fold summary="What it returns">{() => <Schema schema={tool.outputSchema as FieldSchema} />}</Fold>
      )}
    </article>
  )
}

function Schema({ schema }: { schema: FieldSchema }) {
  return (
    <>
      <SchemaTable schema={schema} />
      <Json value={schema} />
    </>
  )
}
