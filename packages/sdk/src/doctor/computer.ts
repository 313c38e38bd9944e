import { networkInterfaces } from 'node:os'

/** The computer that a doctor runs on. Tests have one of their own. */
export interface Computer {
  /** Absolute path of the running Node. */
  readonly node: string
  /** `20.19.0` */
  readonly nodeVersion: string
  /** Its addresses on networks, without loopback. */
  addresses(): readonly string[]
}

/** The real one. */
export const THIS_COMPUTER: Computer = {
  node: process.execPath,
  nodeVersion: process.versions.node,
  addresses: () =>
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
      .map(({ address }) => address),
}
