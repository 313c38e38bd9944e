import type { Resource } from '@modelcontextprotocol/client'
import { useEffect, useState } from 'preact/hooks'
import { explain } from './away-reason.ts'
import { failures, readText, resources, revision, watch } from './connection.ts'
import { Json } from './content.tsx'
import { Copy } from './copy.tsx'
import { type Row, Split } from './list.tsx'
import { Markdown } from './markdown.tsx'

export function SkillsView({ what }: { what: string }) {
  const { value: list } = resources
  const { resources: failure } = failures.value
  return (
    <Split view="skills" rows={toTree(list)} chosen={what} noun="skills and resources" failure={failure}>
      {!failure && !list.some(({ uri }) => uri === INDEX) && <NoRegistry />}
      {what === '' ? <p class="quiet">Choose a skill.</p> : <SkillDetail key={what} uri={what} />}
    </Split>
  )
}

/** What a registry has, whatever else it has. */
const INDEX = 'iii://skills'

function NoRegistry() {
  return (
    <>
      <p>
        There is no skills registry on this engine, so there are no skills and no prompts of workers. Where it should be
        there, start the worker <code>skills</code>:
      </p>
      <Copy text="npx -y @iii/skills" />
    </>
  )
}

/** Skills stand below the one that their address begins with. */
export function toTree(list: readonly Resource[]): Row[] {
  return list.map(({ uri, name, title, description }) => {
    const path = uri.replace(/^iii:\/\//, '')
    const depth = Math.min(path.split('/').length - 1, MAX_DEPTH)
    return { key: uri, title: title ?? name, about: description, depth, isLive: isLive(uri) }
  })
}

/** Deeper ones stand below each other. */
const MAX_DEPTH = 6

/** A function writes it when it is read. */
function isLive(uri: string): boolean {
  return uri.startsWith('iii://fn/')
}

function SkillDetail({ uri }: { uri: string }) {
  const [text, setText] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const turn = revision.value
  const [asked, setAsked] = useState(0)

  useEffect(() => watch(uri), [uri])
  // it is read again when it changed, or when somebody asks
  useEffect(() => {
    let isGone = false
    readText(uri).then(
      (read) => {
        if (isGone) return
        setText(read)
        setFailure(undefined)
      },
      (error: unknown) => !isGone && setFailure(explain(error)),
    )
    return () => {
      isGone = true
    }
  }, [uri, turn, asked, resources.value])

  return (
    <article>
      <p>
        <code>
          <bdi>{uri}</bdi>
        </code>
        {isLive(uri) && <span class="tag live">written by a function when it is read</span>}{' '}
        <button type="button" onClick={() => setAsked(asked + 1)}>
          Read again
        </button>
      </p>
      {failure !== undefined && <p class="result failed">{failure}</p>}
      {text !== undefined && failure === undefined && <Body text={text} />}
    </article>
  )
}

function Body({ text }: { text: string }) {
  try {
    if (/^[[{]/.test(text)) return <Json value={JSON.parse(text)} />
  } catch {}
  return <Markdown text={text} />
}
