/** Prints which files a request enters: `node --conditions=@iii/source --import tsx e2e/ways/main.ts`. `docs/architecture.md` tells them. */
import process from 'node:process'
import { countWay } from './count.ts'
import { walkWays } from './walk.ts'

for (const [method, way] of Object.entries(await walkWays())) {
  for (const [worker, files] of Object.entries(way)) {
    process.stdout.write(`${method}, ${worker}: ${JSON.stringify(countWay(files))}\n${files.join('\n')}\n\n`)
  }
}
