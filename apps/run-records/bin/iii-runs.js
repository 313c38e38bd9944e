#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../bundle/index.mjs', import.meta.url)

if (existsSync(main)) {
  await import(main.href)
} else {
  process.stderr.write('not built yet: run `npx pnpm build`\n')
  process.exitCode = 1
}
