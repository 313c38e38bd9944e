import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findNearest } from '../suggestions/nearest.ts'
import { COMMON_OPTIONS } from './command-line.ts'
import { formatHelp } from './help.ts'

describe('the help text', () => {
  it('shows every option with where it can be set and its default, within 80 columns', () => {
    const app = { name: 'skills', version: '1.0.0', description: 'Keeps skills', command: 'iii-skills' }
    const text = formatHelp(app, {
      timeout: {
        flag: '--state-timeout-ms',
        env: 'STATE_TIMEOUT_MS',
        yaml: 'state_timeout_ms',
        schema: z.number(),
        default: 10_000,
        describe: 'How long a state call, a section or a prompt handler may take, in milliseconds.',
      },
      scope: { yaml: 'scopes.skills', schema: z.string(), default: 'skills', describe: 'Scope of skills.' },
      ...COMMON_OPTIONS,
    })
    expect(text).toMatchInlineSnapshot(`
      "skills 1.0.0
      Keeps skills

      Usage: iii-skills [options]

      Options:
        --state-timeout-ms N     How long a state call, a section or a prompt handler
                                 may take, in milliseconds. [env STATE_TIMEOUT_MS;
                                 file state_timeout_ms; default 10000]
        --url, --engine-url URL  Address of the engine. [env III_URL, III_ENGINE_URL;
                                 default ws://127.0.0.1:49134]
        --config FILE            YAML file with settings; none is read unless it is
                                 named. III_NAME_CONFIG, with the name of the worker,
                                 counts before III_CONFIG. [env III_CONFIG]
        --exact-name             Wait where another live worker has the name, instead
                                 of going by one of its own, for whoever waits for
                                 exactly this name. [env III_EXACT_NAME]
        --namespace NAME         Where its name and functions live, and its calls go,
                                 on an engine that has namespaces. Without it,
                                 default. [env III_NAMESPACE]
        --reattach-file FILE     File to remember the connection in, so that after a
                                 crash the next process ends what the engine still
                                 takes for alive. Each process needs its own. [env
                                 III_REATTACH_FILE]
        --debug                  Log everything. [env III_DEBUG]
        --manifest               Print the manifest as JSON.
        --version                Print the version.
        --help, -h               Print this text.

      Without a flag:
        scopes.skills            Scope of skills. [default skills]
        III_WORKER_NAME          The name under which the engine lists this worker.
        III_CONFIG_NAME          The name of the settings that the engine stores for
                                 this worker, when it started it. Without it, that of
                                 the worker.

      What is set in several places counts in this order: flag, environment,
      configuration file, default.
      "
    `)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('says what is before what, with the store where something may be stored', () => {
    const app = { name: 'skills', version: '1.0.0', description: 'Keeps skills', command: 'iii-skills' }
    const limit = { yaml: 'limit', schema: z.number(), default: 1, stored: 'any', describe: 'How much.' } as const
    expect(formatHelp(app, { limit })).toMatch(
      /order: flag, what is stored on the\nengine \(where the engine has started the program\), environment, configuration\nfile, default\.\n$/,
    )
  })

  it('ends with what the program has to add', () => {
    const app = { name: 'skills', version: '1.0.0', description: 'Keeps skills', command: 'iii-skills' }
    const [plain, more] = [formatHelp(app, COMMON_OPTIONS), formatHelp({ ...app, footnote: 'More' }, COMMON_OPTIONS)]
    expect(more).toBe(`${plain}\nMore\n`)
  })
})

describe('the nearest name', () => {
  it.each([
    ['--ulr', '--url'],
    ['--URL', '--url'],
    ['--confg', '--config'],
    ['--engine-url', '--url'],
    ['--xyz', undefined],
    ['', undefined],
  ])('of %j is %j', (name, nearest) => {
    expect(findNearest(name, ['--url', '--config'])).toBe(nearest)
  })
})
