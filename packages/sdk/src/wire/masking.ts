import type { ClientOptions } from 'ws'

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/

/**
 * How messages to an engine are masked. A mask keeps whatever lies between client and server from taking a message for something else
 * (RFC 6455, 10.3). Within a machine nothing lies there, and a mask of zeros saves what masking costs: as much as the rest of sending.
 */
export function toMasking(url: string): Pick<ClientOptions, 'generateMask'> {
  return isLoopback(new URL(url).hostname) ? { generateMask: (mask) => mask.fill(0) } : {}
}

/** @param hostname as `URL` tells it */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}
