import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { formatJson } from './json-text.ts'
import { toHash } from './places.ts'

/** A result as a model gets it: its blocks, and its data. */
export function ToolResultView({ result }: { result: CallToolResult }) {
  const { structuredContent, content, isError } = result
  const texts = content.filter((block) => !isRepeated(block, structuredContent))
  return (
    <div class={isError ? 'result failed' : 'result'}>
      {isError && <strong>The tool answers with an error</strong>}
      {texts.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
      {structuredContent !== undefined && <Json value={structuredContent} />}
    </div>
  )
}

export function BlockView({ block }: { block: ContentBlock }) {
  if (block.type === 'text') return <Text text={block.text} />
  if (block.type === 'image')
    return <img alt="of the result" src={`data:${toImageType(block.mimeType)};base64,${block.data}`} />
  if (block.type === 'audio')
    return (
      <p>
        Sound ({block.mimeType}), {block.data.length} characters of base64
      </p>
    )
  if (block.type === 'resource_link') return <ResourceLink uri={block.uri} name={block.title ?? block.name} />
  const { resource } = block
  return (
    <figure>
      <figcaption>
        <ResourceLink uri={resource.uri} name={resource.uri} />
      </figcaption>
      {'text' in resource ? <Text text={resource.text} /> : <p>{resource.mimeType ?? 'bytes'}</p>}
    </figure>
  )
}

/** Of this server it is read here; any other address is only shown. */
function ResourceLink({ uri, name }: { uri: string; name: string }) {
  return /^(?:iii|skill):/.test(uri) ? (
    <a href={toHash('skills', uri)}>
      <bdi>{name}</bdi>
    </a>
  ) : (
    <code>
      <bdi>{uri}</bdi>
    </code>
  )
}

function Text({ text }: { text: string }) {
  const json = formatJson(text)
  return json === undefined ? <pre>{text}</pre> : <pre class="json">{json}</pre>
}

export function Json({ value }: { value: unknown }) {
  return <pre class="json">{JSON.stringify(value, null, 2)}</pre>
}

/** Only pictures that no browser runs anything of. */
export function isPicture(mimeType: string | undefined): boolean {
  return /^image\/(?:png|jpeg|gif|webp|avif)$/.test(mimeType ?? '')
}

function toImageType(mimeType: string): string {
  return isPicture(mimeType) ? mimeType : 'image/png'
}

function isRepeated(block: ContentBlock, data: unknown): boolean {
  return data !== undefined && block.type === 'text' && formatJson(block.text) === JSON.stringify(data, null, 2)
}
