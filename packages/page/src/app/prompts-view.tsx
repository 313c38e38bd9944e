import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { quoteError } from './away-reason.ts'
import { connected, failures, prompts } from './connection.ts'
import { BlockView } from './content.tsx'
import { type Complete, Form } from './form.tsx'
import { Split } from './list.tsx'
import type { FieldSchema } from './schema-fields.ts'

export function PromptsView({ what }: { what: string }) {
  const prompt = prompts.value.find(({ name }) => name === what)
  const rows = prompts.value.map(({ name, title, description }) => ({
    key: name,
    title: title ?? name,
    about: description,
  }))
  return (
    <Split view="prompts" rows={rows} chosen={what} noun="prompts" failure={failures.value.prompts}>
      {prompt && <PromptDetail key={prompt.name} prompt={prompt} />}
      {!prompt && <p class="quiet">{what === '' ? 'Choose a prompt.' : `There is no prompt ${what} now.`}</p>}
    </Split>
  )
}

function toSchema({ arguments: args = [] }: Prompt): FieldSchema {
  return {
    properties: Object.fromEntries(
      args.map(({ name, description }) => [name, { type: 'string', ...(description && { description }) }]),
    ),
    required: args.filter(({ required }) => required).map(({ name }) => name),
  }
}

function PromptDetail({ prompt }: { prompt: Prompt }) {
  const [messages, setMessages] = useState<GetPromptResult['messages']>()
  const [failure, setFailure] = useState<string>()

  async function get(args: Record<string, unknown>): Promise<void> {
    setFailure(undefined)
    setMessages(undefined)
    try {
      const answer = await connected().getPrompt({ name: prompt.name, arguments: args as Record<string, string> })
      setMessages(answer.messages)
    } catch (error) {
      setFailure(quoteError(error))
    }
  }

  const complete: Complete = async (name, value, typed) => {
    const others = Object.fromEntries([...typed].filter(([other, text]) => other !== name && text !== ''))
    const { completion } = await connected().complete({
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name, value },
      context: { arguments: others },
    })
    return completion.values
  }

  return (
    <article>
      <h2>
        <bdi>{prompt.title ?? prompt.name}</bdi>
      </h2>
      <p class="long">
        <bdi>{prompt.description}</bdi>
      </p>
      <Form
        schema={toSchema(prompt)}
        label={prompt.title ?? prompt.name}
        action="Get"
        onSubmit={(args) => void get(args)}
        complete={complete}
      />
      <div role="status">
        {failure !== undefined && <p class="result failed">{failure}</p>}
        {messages?.map(({ role, content }, at) => (
          <section key={at} class="result">
            <strong>{role}</strong>
            <BlockView block={content} />
          </section>
        ))}
      </div>
    </article>
  )
}
