import { describe, expect, it } from 'vitest'
import { findHidden, looksSecret } from './secret-look.ts'

describe('what looks like a secret', () => {
  it.each([
    ['API_TOKEN', 'abcdefgh'],
    ['DB_PASSWORD', '123456'],
    ['TOKEN', '5000'],
    ['PAIRING_TOKENS', '1234567890123'],
    ['DATABASE_URL', 'postgres://me:hunter2@db/shop'],
  ])('is %s=%s', (name, text) => expect(looksSecret(name, text)).toBe(true))

  it.each([
    ['DEFAULT_MINIMUM_TOKENS', '10000'],
    ['TOKEN_LIMIT', '4096'],
    ['PASSWORD_MIN_LENGTH', '12'],
    ['TOKENIZERS_PARALLELISM', 'false'],
    ['COOKIE_SECURE', 'True'],
    ['SECRET_SCANNING', 'enabled'],
    ['TOKEN_FILE', '/run/token'],
    ['LEVEL', 'info'],
  ])('is not %s=%s, which is no more than a measure, a switch or a place', (name, text) =>
    expect(looksSecret(name, text)).toBe(false),
  )
})

describe('what is hidden of arguments', () => {
  it('is found as it would stand in what the server says', () => {
    const args = [
      'run',
      '--token',
      'hunter2',
      '--api-key=hunter3',
      'postgres://me:hunter4@db/shop',
      '--max-tokens',
      '4000',
    ]
    expect(findHidden(args)).toEqual(['hunter2', 'hunter3', 'me:hunter4', 'hunter4'])
    const several = [
      'https://api.example.com/?token=hunter2hunter2&b=1&api_key=hunter3hunter3',
      '{"token":"hunter4","url":"https://me:hunter5@db"}',
    ]
    expect(findHidden(several)).toEqual(['hunter2hunter2', 'hunter3hunter3', 'hunter4', 'me:hunter5', 'hunter5'])
    expect(findHidden(['--token', 'false', '--verbose'])).toEqual([])
  })

  it('has the password of an address as it is written and as it is meant, beside what is no secret of anybody', () => {
    expect(findHidden(['redis://:p@ss%2Fword@cache'])).toEqual([':p@ss%2Fword', 'p@ss%2Fword', 'p@ss/word'])
    expect(findHidden(['amqp://me:hunter2@mq?mail=ada@example.com'])).toEqual(['me:hunter2', 'hunter2'])
    expect(findHidden(['postgres://postgres:postgres@db', 'mysql://me:password@db'])).toEqual([
      'postgres:postgres',
      'me:password',
    ])
  })
})
