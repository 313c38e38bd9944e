import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { connected, explain, prompts } from './connection.ts'
import { Block } from './content.tsx'
import { Form } from './form.tsx'
import { List } from './list.tsx'
import type { JsonSchema } from './schema-fields.ts'

export function PromptsView({ what }: { what: string }) {
  const prompt = prompts.value.find(({ name }) => name === what)
  const rows = prompts.value.map(({ name, title, description }) => ({
    key: name,
    title: title ?? name,
    about: description,
  }))
  return (
    <div class={what === '' ? 'split' : 'split chosen'}>
      <List view="prompts" rows={rows} chosen={what} noun="prompts" />
      <section class="detail" aria-live="polite">
        {prompt && <PromptDetail key={prompt.name} prompt={prompt} />}
        {!prompt && <p class="quiet">{what === '' ? 'Choose a prompt.' : `There is no prompt ${what} now.`}</p>}
      </section>
    </div>
  )
}

function toSchema({ arguments: args = [] }: Prompt): JsonSchema {
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
      setFailure(explain(error))
    }
  }

  async function complete(name: string, value: string): Promise<readonly string[]> {
    const { completion } = await connected().complete({
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name, value },
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
      <Form schema={toSchema(prompt)} action="Get" onSubmit={(args) => void get(args)} complete={complete} />
      {failure !== undefined && <p class="result failed">{failure}</p>}
      {messages?.map(({ role, content }, at) => (
        <section key={at} class="result">
          <strong>{role}</strong>
          <Block block={content} />
        </section>
      ))}
    </article>
  )
}
