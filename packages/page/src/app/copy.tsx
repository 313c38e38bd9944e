import { useRef, useState } from 'preact/hooks'

const SAID_MS = 2_000

/** A text to copy. Where a browser lets no page copy, as at an address without TLS, it selects the text. */
export function Copy({ text }: { text: string }) {
  const [said, setSaid] = useState('Copy')
  const shown = useRef<HTMLPreElement>(null)

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      if (shown.current) getSelection()?.selectAllChildren(shown.current)
      setSaid('Selected')
    }
    setTimeout(() => setSaid('Copy'), SAID_MS)
  }

  return (
    <div class="copy">
      <pre ref={shown}>{text}</pre>
      <button type="button" onClick={() => void copy()}>
        {said}
      </button>
    </div>
  )
}
