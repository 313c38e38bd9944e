import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Contents, readSkill } from './connection.ts'
import { isPicture } from './content.tsx'
import { Markdown } from './markdown.tsx'
import { toHash } from './places.ts'
import { formatSize, parseBase64, parseFiles, type SkillFile, splitFrontMatter, toShownName } from './skill-files.ts'

/** The files of a skill; none while they are not known, and where the server has none of it. @param turn another one asks again */
export function useSkillFiles(uri: string | undefined, turn: unknown): readonly SkillFile[] {
  const [files, setFiles] = useState<readonly SkillFile[]>([])
  useEffect(() => {
    let isGone = false
    const read = uri === undefined ? Promise.resolve(undefined) : readSkill(uri)
    const show = (skill?: unknown) => {
      if (!isGone) setFiles(parseFiles(skill))
    }
    read.then(show, () => show())
    return () => {
      isGone = true
    }
  }, [uri, turn])
  return files
}

export function FileList({ files }: { files: readonly SkillFile[] }) {
  return (
    <section aria-label="files">
      <h3>Files</h3>
      <ul class="files">
        {files.map(({ uri, path, size }) => (
          <li key={uri}>
            <a href={toHash('skills', uri)}>
              <bdi>{path}</bdi>
            </a>{' '}
            <span class="quiet">{formatSize(size)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What was read at the address of a file: markdown, other text and pictures to look at, anything else to save. */
export function FileContent({ uri, content }: { uri: string; content: Contents[number] }) {
  const { mimeType } = content
  if ('text' in content) {
    if (mimeType !== 'text/markdown') return <pre>{content.text}</pre>
    const [front, body] = splitFrontMatter(content.text)
    return (
      <>
        {front !== '' && <pre>{front.trim()}</pre>}
        <Markdown text={body} base={uri} />
      </>
    )
  }
  if (isPicture(mimeType)) {
    return (
      <div class="result">
        <img alt={toShownName(uri)} src={`data:${mimeType};base64,${content.blob}`} />
      </div>
    )
  }
  return <Bytes name={toShownName(uri)} mimeType={mimeType} blob={content.blob} />
}

interface BytesProps {
  readonly name: string
  readonly mimeType: string | undefined
  /** Base64. */
  readonly blob: string
}

/** The browser shows nothing of them: it saves them. */
function Bytes({ name, mimeType, blob }: BytesProps) {
  const bytes = useMemo(() => parseBase64(blob), [blob])
  const made = useRef<string | undefined>(undefined)
  useEffect(() => () => forget(made.current), [bytes])
  if (bytes === undefined) return <p class="failed">The server sent bytes that are not base64.</p>

  function save(): void {
    forget(made.current)
    made.current = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'application/octet-stream' }))
    const link = document.createElement('a')
    link.href = made.current
    link.download = name
    link.click()
  }

  return (
    <p>
      <bdi>{mimeType ?? 'bytes'}</bdi>, {formatSize(bytes.length)}{' '}
      <button type="button" onClick={save}>
        Save
      </button>
    </p>
  )
}

function forget(url: string | undefined): void {
  if (url !== undefined) URL.revokeObjectURL(url)
}
