import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import { useRef, useState } from 'preact/hooks'
import { quoteError } from './away-reason.ts'
import { type CallProgress, callTool, exchanges } from './connection.ts'
import { ToolResultView } from './content.tsx'
import { findCall, type SeenMessage } from './exchanges.ts'
import { Messages } from './exchanges-view.tsx'
import { Fold } from './fold.tsx'
import { Form } from './form.tsx'
import type { FieldSchema } from './schema-fields.ts'

type Outcome = ({ readonly result: CallToolResult } | { readonly failure: string }) & {
  readonly tookMs: number
  readonly messages: readonly SeenMessage[]
}

/** Fills a tool's arguments in, calls it, and shows what comes of it. */
export function ToolCaller({ tool }: { tool: Tool }) {
  const [progress, setProgress] = useState<CallProgress>()
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)
  const stop = useRef<AbortController>(null)

  async function call(args: Record<string, unknown>): Promise<void> {
    const began = performance.now()
    const own = new AbortController()
    stop.current = own
    const since = exchanges.value.at(-1)?.seq ?? 0
    const tell = () => ({
      tookMs: Math.round(performance.now() - began),
      messages: findCall(exchanges.value, tool.name, since),
    })
    setBusy(true)
    setOutcome(undefined)
    try {
      const result = (await callTool(tool.name, args, {
        signal: own.signal,
        onprogress: setProgress,
      })) as CallToolResult
      setOutcome({ result, ...tell() })
    } catch (error) {
      setOutcome({ failure: own.signal.aborted ? 'Cancelled.' : quoteError(error), ...tell() })
    } finally {
      setBusy(false)
      setProgress(undefined)
    }
  }

  return (
    <>
      <Form
        schema={tool.inputSchema as FieldSchema}
        label={tool.title ?? tool.name}
        action="Call"
        isBusy={isBusy}
        onSubmit={(args) => void call(args)}
      >
        {isBusy && (
          <button type="button" onClick={() => stop.current?.abort()}>
            Cancel
          </button>
        )}
      </Form>
      {isBusy && <Bar progress={progress} />}
      <div role="status">{outcome && <Shown outcome={outcome} />}</div>
    </>
  )
}

function Shown({ outcome }: { outcome: Outcome }) {
  return (
    <>
      {'result' in outcome ? (
        <ToolResultView result={outcome.result} />
      ) : (
        <p class="result failed">{outcome.failure}</p>
      )}
      <p class="quiet">took {outcome.tookMs} ms</p>
      <Fold summary="Messages of this call">{() => <Messages of={outcome.messages} />}</Fold>
    </>
  )
}

function Bar({ progress }: { progress: CallProgress | undefined }) {
  const { progress: done, total, message } = progress ?? {}
  return (
    <p>
      <progress aria-label="progress" {...(done !== undefined && total ? { value: done, max: total } : {})} />{' '}
      {done !== undefined && `${done}${total ? ` of ${total}` : ''} `}
      <bdi>{message ?? ''}</bdi>
    </p>
  )
}
