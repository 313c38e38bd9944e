#!/usr/bin/env node
import { existsSync } from 'node:fs'

const entry = new URL('../dist/cli/main.js', import.meta.url)
if (existsSync(entry)) await import(entry.href)
else {
  process.stderr.write('iii-mock-engine is not built yet: run `npx pnpm build`\n')
  process.exitCode = 1
}
