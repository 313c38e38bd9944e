#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'

// A client that starts the server waits for it. Node 20 has no cache for what was compiled before.
module.enableCompileCache?.()
const main = new URL('../bundle/index.mjs', import.meta.url)
if (existsSync(main)) {
  await import(main.href)
} else {
  process.stderr.write('not built yet: run `npx pnpm build`\n')
  process.exitCode = 1
}
