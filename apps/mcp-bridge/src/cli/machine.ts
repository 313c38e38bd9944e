import { realpathSync } from 'node:fs'
import { homedir, networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The computer that a command runs on, as far as commands look at it. Tests have one of their own. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the running Node. */
  readonly node: string
  /** `20.19.0` */
  readonly nodeVersion: string
  /** The file that Node was started with to run this: a program of one file, or what starts one. From sources, it lies in a checkout. */
  readonly script: string
  /** Its addresses on networks, without loopback. */
  addresses(): readonly string[]
  now(): Date
}

/** The real one. */
export function createMachine(env: Readonly<Record<string, string | undefined>>): Machine {
  return {
    platform: process.platform,
    home: homedir(),
    env,
    node: process.execPath,
    nodeVersion: process.versions.node,
    script: findScript(fileURLToPath(import.meta.url)),
    addresses: () =>
      Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
        .map(({ address }) => address),
    now: () => new Date(),
  }
}

const SOURCE = /[\\/]src[\\/]cli[\\/]machine\.ts$/

/** @param self this source, or the program that it has become a part of; a link to that may be on the PATH */
function findScript(self: string): string {
  return SOURCE.test(self) ? self.replace(SOURCE, '/bin/iii-mcp.js') : realpathSync(self)
}
