import { expect, it } from 'vitest'
import { refuseMistyped } from './mistyped.ts'

const NAMES = { request_format: true, description: true, metadata: true } as const
const check = (given: object) => () => refuseMistyped("The function 'a::b'", given, NAMES)

it('refuses a name that is nearly one that is read', () => {
  expect(check({ requestFormat: {} })).toThrow(
    "The function 'a::b' has 'requestFormat', which is not read; did you mean 'request_format'?",
  )
  expect(check({ metadata: {}, descripton: '' })).toThrow("did you mean 'description'?")
})

it('lets pass what is read, what resembles nothing, and what stands beside the right name', () => {
  expect(check({ metadata: {}, invocation: {}, format: undefined })).not.toThrow()
  expect(check({ request_format: {}, requestFormat: {} })).not.toThrow()
})

it('refuses what is right elsewhere with what it is here, also beside the right name', () => {
  const title = () =>
    refuseMistyped('The function', { description: 'x', title: 'x' }, NAMES, { title: 'mcp: { title }' })
  expect(title).toThrow("The function has 'title', which is not read; did you mean 'mcp: { title }'?")
})
