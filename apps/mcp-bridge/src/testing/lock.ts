import type { Settings } from '@iii/sdk'

/** What settings are locked by where one thing is wrong with their file. */
export function toLock(reason: string | undefined): Settings<unknown>['locked'] {
  return reason === undefined ? undefined : { file: '/etc/iii/mcp.yaml', mistakes: [reason], reason }
}
