import { builtin } from '../builtins/define.ts'
import type { EngineFunction } from '../bus/functions.ts'
import { objectText, quote, toMembers, toStringValue } from '../json/build.ts'
import { EngineError } from '../wire/engine-error.ts'

/** The assets of the page that a console shows for the settings of observability. Here they are empty. */
const ASSETS: Readonly<Record<string, string>> = {
  'iii-observability/page.js': 'text/javascript; charset=utf-8',
  'iii-observability/styles.css': 'text/css; charset=utf-8',
}

/** `iii-observability::ui-content`, which a console asks. */
export function consolePage(workerName: string): EngineFunction {
  return builtin(workerName, {
    id: `${workerName}::ui-content`,
    description: 'The assets of a page for the settings of observability.',
    metadata: '{"internal":true,"source":"builtin"}',
    handle(_input, { data }) {
      const path = toStringValue(toMembers(data)?.get('path'))
      if (path === undefined) throw new EngineError('INVALID_UI_ASSET', 'Console UI asset request requires a path')
      const type = ASSETS[path]
      if (type === undefined) {
        const expected = Object.keys(ASSETS)
          .map((name) => `'${name}'`)
          .join(' or ')
        const problem = `Unknown ${workerName} Console UI asset '${path}' (expected ${expected})`
        throw new EngineError('UNKNOWN_UI_ASSET', problem)
      }
      return objectText({ content: '""', content_type: quote(type) })
    },
  })
}
