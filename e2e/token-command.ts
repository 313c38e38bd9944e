import { runToEnd } from './child.ts'
import { bridgeProgram } from './programs.ts'

/** What `iii-mcp token create` makes. */
export interface MadeToken {
  readonly token: string
  /** What it tells to write into the configuration file, which may be all of one. */
  readonly block: string
}

/** Runs `iii-mcp token create`. @throws when the command fails, or tells no block */
export async function runTokenCreate(name: string): Promise<MadeToken> {
  const { code, stdout, stderr } = await runToEnd({ ...bridgeProgram(''), args: ['token', 'create', name] })
  const block = /^auth:\n(?: .*\n)+/m.exec(stderr)?.[0]
  if (code !== 0 || block === undefined)
    throw new Error(`token create ended with ${code}, and no block is in: ${stderr}`)
  return { token: stdout.trim(), block }
}
