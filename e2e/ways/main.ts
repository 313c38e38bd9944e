/**
 * Prints which files a request enters, for `docs/architecture.md`, which tells them:
 * `node --conditions=@iii/source --import tsx e2e/ways/main.ts`. With `--write` it puts them there.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { countWay, formatWay } from './list.ts'
import { walkWays } from './walk.ts'

const PAGE = new URL('../../docs/architecture.md', import.meta.url)

let page = readFileSync(PAGE, 'utf8')
for (const [method, { files: way }] of Object.entries(await walkWays())) {
  const [bridge, registry] = [countWay(way.bridge), countWay(way.registry)]
  process.stdout.write(`${method}: ${JSON.stringify({ bridge, registry })}\n${formatWay(way)}\n\n`)
  page = page.replace(
    new RegExp(`(\`\`\`text ${method}\\n)[^\`]*(\\n\`\`\`)`),
    (_, opens: string, closes: string) => `${opens}${formatWay(way)}${closes}`,
  )
}
if (process.argv.includes('--write')) writeFileSync(PAGE, page)
