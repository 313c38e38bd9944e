/** Runs output through the two filters that our documents pipe into: `sed -n 's/^PREFIX//p'` and `jq PATH`. */
export function runPipeline(pipeline: readonly (readonly string[])[], text: string): string {
  return pipeline.reduce((output, [program, ...words]) => {
    const script = words.at(-1) ?? ''
    if (program === 'sed') return runSed(words, output)
    if (program === 'jq') return runJq(script, output)
    throw new Error(`No idea what ${program} would do`)
  }, text)
}

function runSed(words: readonly string[], text: string): string {
  const [, prefix] = /^s\/\^([^/]*)\/\/p$/.exec(words.at(-1) ?? '') ?? []
  if (prefix === undefined || words[0] !== '-n') throw new Error(`sed ${words.join(' ')} is not understood here`)
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length))
    .join('\n')
}

/** What `jq PATH` prints, one value a line; a path is made of `.name`, `[]` and `[0]`. */
function runJq(path: string, text: string): string {
  const steps = path.match(/\.\w+|\[\d*\]/g) ?? []
  if (steps.join('') !== path) throw new Error(`jq ${path} is not understood here`)
  const values = steps.reduce<unknown[]>(
    (found, step) => found.flatMap((value) => follow(value, step)),
    [JSON.parse(text)],
  )
  return values.map((value) => JSON.stringify(value, null, 2)).join('\n')
}

function follow(value: unknown, step: string): unknown[] {
  if (step === '[]') {
    if (!Array.isArray(value)) throw new Error(`Cannot iterate over ${JSON.stringify(value)}`)
    return value
  }
  const key = step.replace(/^\.|^\[|\]$/g, '')
  return [(value as Record<string, unknown> | null | undefined)?.[key] ?? null]
}
