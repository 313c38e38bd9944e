import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { runWorker } from '../run/run-worker.ts'
import { readCommandLine } from './command-line.ts'
import { type AnyOptionTable, checkOptionTable, type OptionTable } from './option-table.ts'

const hello = { flag: '--hello', schema: z.string(), default: 'Hello', describe: 'What to say.' }

describe('the options of a worker', () => {
  it('may be all that there are, also without a default', () => {
    const whole = { ...hello, env: 'HELLO', yaml: 'hello', stored: 'any', placeholder: 'WORD', default: undefined }
    expect(() => checkOptionTable({ hello, whole } as AnyOptionTable)).not.toThrow()
  })

  it.each([
    [{ ...hello, flags: '--hello' }, "has 'flags', which is not read; did you mean 'flag'?"],
    [{ flag: '--hello', schema: z.string(), default: 'Hello' }, "needs 'describe': a sentence for --help"],
    [{ flag: '--hello', default: 'Hello', describe: 'What to say.' }, "needs 'schema': a zod type"],
    [{ flag: '--hello', schema: z.string(), describe: 'What.' }, "needs 'default': what it is when nobody sets it"],
  ])('are refused where something is left out or mistyped', (spec, says) => {
    const check = () => checkOptionTable({ hello: spec } as unknown as AnyOptionTable)
    expect(check).toThrow(new Fault('invalid_input', `The option 'hello' ${says}`))
  })

  it('have types of the version of zod that the project has', () => {
    const cups = { flag: '--cups', schema: z3.number().min(1), default: 1, describe: 'How many.' }
    const table: OptionTable<{ hello: string; cups: number }> = { hello, cups }
    expect(readCommandLine(['--cups', '3'], {}, table as unknown as AnyOptionTable)).toMatchObject({
      own: new Map([['cups', { value: 3 }]]),
    })
    expect(readCommandLine(['--cups', '0'], {}, table as unknown as AnyOptionTable)).toEqual({
      problem: expect.stringContaining("('0')"),
    })
  })

  it('have defaults of the types of their schemas, which no default widens', () => {
    const take = <T>(table: OptionTable<T>) => table as { [Key in keyof T]: { default: T[Key] } }
    const describe = 'What to say.'
    const { level, names, limit } = take({
      level: { schema: z.enum(['debug', 'info']), default: 'info', describe },
      names: { schema: z.array(z.string()), default: [], describe },
      limit: { schema: z3.number().optional(), default: undefined, describe },
    })
    const said: ['debug' | 'info', string[], number | undefined] = [level.default, names.default, limit.default]
    expect(said).toEqual(['info', [], undefined])
    // @ts-expect-error: a text is no boolean
    take({ isLoud: { schema: z.boolean(), default: 'yes', describe } })
  })

  it('are looked at before anything else', async () => {
    const options = { hello: { flag: '--hello', schema: z.string(), default: 'Hello' } } as never
    const app = { name: 'tea', version: '0.1.0', description: 'Makes tea', argv: ['--help'], env: {}, options }
    await expect(runWorker({ ...app, serve: () => undefined })).rejects.toThrow("needs 'describe'")
  })
})
