import type { Resource } from '@modelcontextprotocol/client'
import { useEffect, useState } from 'preact/hooks'
import { quoteError } from './away-reason.ts'
import { type Contents, failures, listedTools, readResource, resources, revision, status, watch } from './connection.ts'
import { Copy } from './copy.tsx'
import { formatJson } from './json-text.ts'
import { type Row, Split } from './list.tsx'
import { Markdown } from './markdown.tsx'
import { toHash } from './places.ts'
import { FileContent, FileList, useSkillFiles } from './skill-file-view.tsx'
import { SKILL_SCHEME, toSkillUri } from './skill-files.ts'
import { type SkillTool, toToolsOf } from './tools-of-skill.ts'

export function SkillsView({ what }: { what: string }) {
  const { value: list } = resources
  const { resources: failure } = failures.value
  return (
    <Split view="skills" rows={toTree(list)} chosen={toRow(what, list)} noun="skills and resources" failure={failure}>
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

/** The row of what is shown: for a file that of the skill whose folder it lies in, the innermost where there are several. */
function toRow(what: string, list: readonly Resource[]): string {
  if (!what.startsWith(SKILL_SCHEME)) return what
  const folders = list.flatMap(({ uri }) => {
    const folder = toSkillUri(uri)?.replace(/SKILL\.md$/, '')
    return folder !== undefined && what.startsWith(folder) ? [{ uri, folder }] : []
  })
  return folders.sort((a, b) => b.folder.length - a.folder.length)[0]?.uri ?? what
}

/** Deeper ones stand below each other. */
const MAX_DEPTH = 6

/** A function writes it when it is read. */
function isLive(uri: string): boolean {
  return uri.startsWith('iii://fn/')
}

/** Read again when it changed, when somebody asks, and when the server is there again; until then what was read stays. */
function useRead(uri: string) {
  const [read, setRead] = useState<Awaited<ReturnType<typeof readResource>>>()
  const [failure, setFailure] = useState<string>()
  const [asked, setAsked] = useState(0)
  const turn = `${revision.value} ${asked}`
  const isReady = status.value.kind === 'ready'
  useEffect(() => (isReady ? watch(uri) : undefined), [uri, isReady])
  useEffect(() => {
    if (!isReady) return
    let isGone = false
    readResource(uri).then(
      (found) => {
        if (isGone) return
        setRead(found)
        setFailure(undefined)
      },
      (error: unknown) => !isGone && setFailure(quoteError(error)),
    )
    return () => {
      isGone = true
    }
  }, [uri, turn, resources.value, listedTools.value])
  return { ...read, failure, turn, again: () => setAsked(asked + 1) }
}

function SkillDetail({ uri }: { uri: string }) {
  const { contents, meta = {}, failure, turn, again } = useRead(uri)
  const files = useSkillFiles(toSkillUri(uri), turn)
  const isFile = uri.startsWith(SKILL_SCHEME)
  return (
    <article>
      <p>
        <code>
          <bdi>{uri}</bdi>
        </code>
        {isLive(uri) && <span class="tag live">written by a function when it is read</span>}{' '}
        <button type="button" onClick={again}>
          Read again
        </button>
      </p>
      {failure !== undefined && <p class="result failed">{failure}</p>}
      {failure === undefined &&
        contents?.map((content, at) =>
          isFile ? (
            <FileContent key={at} uri={uri} content={content} />
          ) : (
            <Body key={at} content={content} base={files.length > 0 ? toSkillUri(uri) : undefined} />
          ),
        )}
      {files.length > 0 && <FileList files={files} />}
      <ToolList tools={toToolsOf(meta, listedTools.value)} hasCaller={listedTools.value.some(isCaller)} />
    </article>
  )
}

/** It calls what a list has no room for. */
const CALL_TOOL = 'call_tool'

const isCaller = ({ name }: { name: string }) => name === CALL_TOOL

/** The tools whose use the skill describes. Where a list has few tools another one calls the rest. */
function ToolList({ tools, hasCaller }: { tools: readonly SkillTool[]; hasCaller: boolean }) {
  if (tools.length === 0) return null
  return (
    <section aria-label="tools">
      <h3>Tools</h3>
      <ul>
        {tools.map(({ name, isListed }) => (
          <li key={name}>
            {isListed ? (
              <a href={toHash('tools', name)}>
                <bdi>{name}</bdi>
              </a>
            ) : (
              <>
                <code>
                  <bdi>{name}</bdi>
                </code>
                {hasCaller && (
                  <span class="quiet">
                    {' '}
                    is in no list: <a href={toHash('tools', CALL_TOOL)}>{CALL_TOOL}</a> calls it
                  </span>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Body({ content, base }: { content: Contents[number]; base: string | undefined }) {
  if (!('text' in content)) return <p class="quiet">({content.mimeType ?? 'bytes'})</p>
  const { text } = content
  const json = formatJson(text)
  return json === undefined ? <Markdown text={text} base={base} /> : <pre class="json">{json}</pre>
}
