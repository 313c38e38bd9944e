#!/usr/bin/env node
// `pnpm build` lays it out beside the program: in `dist`.
await import('../bundle/index.mjs')
