import { homedir, networkInterfaces, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/** The computer that a program runs on. Tests have one of their own. */
export interface Host {
  readonly platform: NodeJS.Platform
  /** The folder of who runs this. */
  readonly home: string
  /** The folder that this process was started in; `/` where that is gone. */
  readonly cwd: string
  /** Absolute path of the running Node. */
  readonly node: string
  /** `20.19.0` */
  readonly nodeVersion: string
  /** What the running Node was started with, beside the program and its arguments. */
  readonly nodeArgs: readonly string[]
  /** Its addresses on networks, without loopback. */
  addresses(): readonly string[]
}

/** It is always there: what containers set where they know of no home. */
const ROOT = '/'

/** `HOME` may be empty or no path; without it the list of users is asked, in which not every user of a container is. */
export function findHome(ways: readonly (() => string)[] = [homedir, () => userInfo().homedir]): string {
  for (const find of ways) {
    try {
      const home = find()
      if (isAbsolute(home)) return home
    } catch {
      // There is no such user.
    }
  }
  return ROOT
}

/** Somebody may have removed the folder of a terminal or of a project that is open. */
export function findFolder(find: () => string = process.cwd): string {
  try {
    return find()
  } catch {
    return ROOT
  }
}

/** What to say where a path that is not absolute was read, and the folder that it begins in is gone; undefined for any other failure. */
export function explainNoFolder(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd')) return undefined
  return 'the folder that this was started in is gone: go to another one, or write whole paths'
}

/** The real one. */
export function readHost(): Host {
  return {
    platform: process.platform,
    home: findHome(),
    cwd: findFolder(),
    node: process.execPath,
    nodeVersion: process.versions.node,
    nodeArgs: process.execArgv,
    addresses: () =>
      Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
        .map(({ address }) => address),
  }
}
