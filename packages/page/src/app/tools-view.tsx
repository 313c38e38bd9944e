import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import { useRef, useState } from 'preact/hooks'
import { callTool, explain, type Progress, tools } from './connection.ts'
import { Json, Result } from './content.tsx'
import { Form } from './form.tsx'
import { List } from './list.tsx'
import type { JsonSchema } from './schema-fields.ts'
import { SchemaTable } from './schema-table.tsx'

export function ToolsView({ what }: { what: string }) {
  const tool = tools.value.find(({ name }) => name === what)
  const rows = tools.value.map(({ name, title, description }) => ({
    key: name,
    title: title ?? name,
    about: title === undefined ? description : `${name}: ${description ?? ''}`,
  }))
  return (
    <div class={what === '' ? 'split' : 'split chosen'}>
      <List view="tools" rows={rows} chosen={what} noun="tools" />
      <section class="detail" aria-live="polite">
        {tool && <ToolDetail key={tool.name} tool={tool} />}
        {!tool && <p class="quiet">{what === '' ? 'Choose a tool.' : `There is no tool ${what} now.`}</p>}
      </section>
    </div>
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
          return said === undefined ? null : <span class="tag">{said ? yes : no}</span>
        })}
      </p>
      <p class="long">
        <bdi>{tool.description}</bdi>
      </p>
      <Caller tool={tool} />
      <details>
        <summary>What it takes</summary>
        <SchemaTable schema={tool.inputSchema as JsonSchema} />
        <Json value={tool.inputSchema} />
      </details>
      {tool.outputSchema && (
        <details>
          <summary>What it returns</summary>
          <SchemaTable schema={tool.outputSchema as JsonSchema} />
          <Json value={tool.outputSchema} />
        </details>
      )}
    </article>
  )
}

type Outcome = { readonly result: CallToolResult } | { readonly failure: string }

function Caller({ tool }: { tool: Tool }) {
  const [progress, setProgress] = useState<Progress>()
  const [outcome, setOutcome] = useState<Outcome & { readonly tookMs: number }>()
  const [isBusy, setBusy] = useState(false)
  const stop = useRef<AbortController>(null)

  async function call(args: Record<string, unknown>): Promise<void> {
    const began = performance.now()
    const tookMs = () => Math.round(performance.now() - began)
    stop.current = new AbortController()
    setBusy(true)
    setOutcome(undefined)
    try {
      const options = { signal: stop.current.signal, onprogress: setProgress }
      const result = (await callTool(tool.name, args, options)) as CallToolResult
      setOutcome({ result, tookMs: tookMs() })
    } catch (error) {
      setOutcome({ failure: stop.current.signal.aborted ? 'Cancelled.' : explain(error), tookMs: tookMs() })
    } finally {
      setBusy(false)
      setProgress(undefined)
    }
  }

  return (
    <>
      <Form schema={tool.inputSchema as JsonSchema} action="Call" isBusy={isBusy} onSubmit={(args) => void call(args)}>
        {isBusy ? (
          <button type="button" onClick={() => stop.current?.abort()}>
            Cancel
          </button>
        ) : undefined}
      </Form>
      {isBusy && <Bar progress={progress} />}
      {outcome && 'result' in outcome && <Result result={outcome.result} />}
      {outcome && 'failure' in outcome && <p class="result failed">{outcome.failure}</p>}
      {outcome && <p class="quiet">took {outcome.tookMs} ms</p>}
    </>
  )
}

function Bar({ progress }: { progress: Progress | undefined }) {
  const { progress: done, total, message } = progress ?? {}
  return (
    <p role="status">
      <progress aria-label="progress" {...(done !== undefined && total ? { value: done, max: total } : {})} />{' '}
      {done !== undefined && `${done}${total ? ` of ${total}` : ''} `}
      <bdi>{message ?? ''}</bdi>
    </p>
  )
}
