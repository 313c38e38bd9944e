import type { Resource } from '@modelcontextprotocol/client'
import { useEffect, useState } from 'preact/hooks'
import { explain, readText, resources, revision, watch } from './connection.ts'
import { Json } from './content.tsx'
import { List, type Row } from './list.tsx'
import { Markdown } from './markdown.tsx'

export function SkillsView({ what }: { what: string }) {
  return (
    <div class={what === '' ? 'split' : 'split chosen'}>
      <List view="skills" rows={toTree(resources.value)} chosen={what} noun="skills and resources" />
      <section class="detail" aria-live="polite">
        {what === '' ? <p class="quiet">Choose a skill.</p> : <SkillDetail key={what} uri={what} />}
      </section>
    </div>
  )
}

/** Skills stand below the one that their address begins with. */
export function toTree(list: readonly Resource[]): Row[] {
  return list.map(({ uri, name, title, description }) => {
    const path = uri.replace(/^iii:\/\//, '')
    return { key: uri, title: title ?? name, about: description, depth: Math.min(path.split('/').length - 1, 6) }
  })
}

function SkillDetail({ uri }: { uri: string }) {
  const [text, setText] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const isLive = uri.startsWith('iii://fn/')
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
        {isLive && <span class="tag live">written by a function when it is read</span>}{' '}
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
