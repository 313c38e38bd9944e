import { lookup } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { adviseOnProblem, toConnectProblem } from './connect-problem.ts'

describe('why an engine was not reached', () => {
  it('is said in words where a name has no address', async () => {
    const error = await new Promise<Error>((resolve) =>
      lookup('engine.invalid', (problem) => resolve(problem as Error)),
    )
    expect(toConnectProblem(error)).toMatch(/^the name engine\.invalid was not resolved \(E[A-Z_]+\)$/)
  })

  it.each([
    [200, /no engine, or it is its HTTP port/],
    [301, /leads to another address/],
    [400, /write wss:\/\/ in place of ws:\/\//],
    [401, /ws:\/\/NAME:PASSWORD@HOST:PORT/],
    [403, /ws:\/\/NAME:PASSWORD@HOST:PORT/],
    [404, /no engine, or it is its HTTP port/],
    [502, /A proxy answers there/],
    [503, /A proxy answers there/],
    [504, /A proxy answers there/],
  ])('has advice on an answer of status %i', (status, advice) => {
    expect(adviseOnProblem(`Unexpected server response: ${status}`)).toMatch(advice)
  })

  it.each([
    'unable to verify the first certificate',
    'unable to get local issuer certificate',
    'self-signed certificate',
    'self-signed certificate in certificate chain',
  ])('names NODE_EXTRA_CA_CERTS where nobody here knows who has issued it: %s', (problem) => {
    expect(adviseOnProblem(problem)).toMatch(/NODE_EXTRA_CA_CERTS/)
  })

  it('says which limit to raise where the system refused', () => {
    const problem = 'connect EMFILE 127.0.0.1:49134 - Local (undefined:undefined)'
    expect(adviseOnProblem(problem)).toMatch(/raise the limit of open files \(ulimit -n/)
  })

  it('is said where something answers that speaks no HTTP', () => {
    expect(adviseOnProblem('Parse Error: Expected HTTP/, RTSP/ or ICE/')).toMatch(/What listens there is no engine/)
  })

  it('needs no advice where it says all', () => {
    for (const problem of ['certificate has expired', 'connect ECONNREFUSED 10.0.0.1:49134']) {
      expect(adviseOnProblem(problem)).toBe('')
    }
  })
})
