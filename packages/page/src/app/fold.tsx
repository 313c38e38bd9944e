import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** Something that opens by a click; what is within it is made when it is open. */
export function Fold({ summary, children }: { summary: ComponentChildren; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
