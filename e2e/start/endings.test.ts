import { describe, expect, it } from 'vitest'
import type { Child, Exit } from '../child.ts'
import { explainLastWrite, explainLoss } from './endings.ts'

function end(name: string, exit: Partial<Exit>, stderr: string[] = [], stdout: string[] = []) {
  return { child: { name, stdout, stderr } as unknown as Child, exit: { code: null, signal: null, ...exit } }
}

describe('a part that ends by itself', () => {
  it('is told with its exit code and the end of its log', () => {
    expect(explainLoss(end('mcp', { code: 7 }, ['one', 'two'], ['not this']))).toBe(
      'mcp ended by itself, with exit code 7.\nIts last lines:\n  | one\n  | two',
    )
  })

  it('is told with the signal that killed it', () => {
    expect(explainLoss(end('orders', { signal: 'SIGKILL' }))).toBe(
      'orders ended by itself, killed by SIGKILL.\nIt said nothing.',
    )
  })

  it('is quoted when it is the engine and says why', () => {
    expect(
      explainLoss(end('engine', { code: 1 }, ['iii-mock-engine: state cannot be kept in the folder /x: no'])),
    ).toBe('The engine ended: state cannot be kept in the folder /x: no')
    const taken = 'port 4134 for the engine’s bus is taken by another process: choose another one with'
    expect(explainLoss(end('engine', { code: 1 }, [`iii-mock-engine: ${taken} --port`]))).toBe(
      `The engine ended: ${taken} --engine-port`,
    )
    expect(explainLoss(end('engine', { code: 1 }, [`iii-mock-engine: ${taken} --http-port`]))).toContain(' --http-port')
    expect(explainLoss(end('engine', { code: 1 }, ['Error: odd']))).toContain(
      'engine ended by itself, with exit code 1',
    )
  })
})

describe('the last write of an engine', () => {
  it('is no news when it went well', () => {
    expect(explainLastWrite(end('engine', { code: 0 }), '/d')).toBeUndefined()
  })

  it('is none of an engine that was stopped before it was there', () => {
    expect(explainLastWrite(end('engine', { signal: 'SIGTERM' }), '/d')).toBeUndefined()
  })

  it('is told as the engine tells it, or that it was cut short', () => {
    const said = 'iii-mock-engine: state was not written to /d (ENOSPC: no space left): what is not in there is lost'
    expect(explainLastWrite(end('engine', { code: 1 }, [said]), '/d')).toBe(said.replace('iii-mock-engine: ', ''))
    expect(explainLastWrite(end('engine', { signal: 'SIGKILL' }), '/d')).toContain('what is not in /d is lost')
  })
})
