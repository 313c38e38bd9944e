import { useState } from 'preact/hooks'
import { Copy } from './copy.tsx'

/** This page sees what an agent sees, so it cannot know what is hidden from it; the operator's command can. */
export function WhyNotView() {
  const [what, setWhat] = useState('')
  const word = toShellWord(what.trim())
  return (
    <article class="alone">
      <h2>Why is it not here?</h2>
      <p>
        A function, skill or prompt may be there and still not be shown to agents. Whoever runs the engine can ask why,
        on that machine:
      </p>
      <div class="field">
        <label for="why">Function, tool, skill, prompt or address</label>
        <input
          id="why"
          value={what}
          placeholder="orders::create"
          autocomplete="off"
          onInput={(event) => setWhat(event.currentTarget.value)}
        />
      </div>
      <Copy text={`npx -y @iii/mcp explain ${word || 'orders::create'}`} />
      <p>And this looks at everything at once:</p>
      <Copy text="npx -y @iii/mcp doctor" />
    </article>
  )
}

/** One word of a command line, whatever somebody typed. */
function toShellWord(text: string): string {
  if (text === '' || /^[A-Za-z0-9_:./@][A-Za-z0-9_:./@-]*$/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
