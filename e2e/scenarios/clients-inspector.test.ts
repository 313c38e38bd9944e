import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConformanceStack } from '../conformance/stack.ts'
import { runInspector, toInspectorCall } from '../inspector.ts'
import { scenario } from '../scenario.ts'
import { isSearchMode } from '../search-mode.ts'
import { createTempFolder } from '../stack.ts'

const cleanup = createCleanup()
let home: string
let mcpUrl: string

beforeAll(async () => {
  home = cleanup.use(await createTempFolder()).path
  mcpUrl = cleanup.use(await startConformanceStack()).mcpUrl
})
afterAll(() => cleanup.run())

const LISTED = { all: /"name": "json_schema_2020_12_tool"/, search: /"name": "search_tools"/ }
const ERAS = ['legacy', 'modern', 'auto']
const inspections: readonly [string[], RegExp][] = [
  [['--method', 'tools/list', '--strict'], isSearchMode() ? LISTED.search : LISTED.all],
  [toInspectorCall('test_tool_with_progress'), /"text": "Done in three steps\."/],
  [['--method', 'resources/read', '--uri', 'test://template/7/data'], /Data for ID: 7/],
]

for (const era of ERAS) {
  for (const [args, shown] of inspections) {
    scenario(['clients/inspector'], `the Inspector does ${args.join(' ')} in its era ${era}`, async () => {
      const { code, stdout, stderr } = await runInspector(mcpUrl, home, ['--protocol-era', era, ...args])
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(shown)
    })
  }
}
