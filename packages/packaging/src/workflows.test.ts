import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { ROOT } from './workers.ts'

const Permissions = z.record(z.string(), z.enum(['read', 'write']))
const Job = z.object({
  concurrency: z.string().optional(),
  environment: z.string().optional(),
  needs: z.string().optional(),
  permissions: Permissions.optional(),
  strategy: z.object({ matrix: z.object({ node: z.array(z.number()) }) }).optional(),
  steps: z.array(
    z.object({
      uses: z.string().optional(),
      run: z.string().optional(),
      env: z.record(z.string(), z.string()).optional(),
      /** Of an action; `version` is a command that the one of changesets runs. */
      with: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
})
const Workflow = z.object({
  concurrency: z.unknown().optional(),
  permissions: Permissions,
  jobs: z.record(z.string(), Job),
})

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const { packageManager, scripts } = JSON.parse(read('package.json')) as Record<'packageManager', string> &
  Record<'scripts', object>
const workflows = readdirSync(new URL('.github/workflows/', ROOT)).map((file) => ({
  file,
  ...Workflow.parse(parse(read(`.github/workflows/${file}`))),
}))
const jobs = workflows.flatMap(({ file, permissions, jobs: rows }) =>
  Object.entries(rows).map(([name, job]) => ({
    name: `${file}: ${name}`,
    ...job,
    may: job.permissions ?? permissions,
  })),
)
const find = (name: string) => jobs.find((job) => job.name === name)

/** What a step may run that is no script of this repository: setting up. */
const SETTING_UP = [
  /^npx -y \S+ install --frozen-lockfile$/,
  /^apt-get update && apt-get install -y --no-install-recommends chromium$/,
  /^echo "waiting=\$\{\{ hashFiles\('\.changeset\/\*\.md'\) != '' \}\}" >> "\$GITHUB_OUTPUT"$/,
]

describe('the workflows', () => {
  it.each(jobs)('$name runs scripts of this repository, with its package manager', ({ steps }) => {
    const commands = steps.flatMap((step) =>
      [step.run, step.with?.['version']].filter((text) => typeof text === 'string'),
    )
    const rest = commands.filter((command) => !SETTING_UP.some((known) => known.test(command)))
    const known = ['bash .ci/run', ...Object.keys(scripts).map((name) => `npx -y ${packageManager} ${name}`)]
    expect(rest.filter((command) => !known.includes(command))).toEqual([])
  })

  it('test on each Node that is supported', () => {
    expect(find('ci.yml: check')).toMatchObject({
      strategy: { matrix: { node: [20, 22, 24] } },
      steps: expect.arrayContaining([{ run: 'bash .ci/run' }]),
    })
  })

  it.each(jobs)('$name takes actions as they were read: a tag may be moved', ({ steps }) => {
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  })

  it('run tests where there is nothing to write and no secret', () => {
    const testing = jobs.filter(({ steps }) => steps.some(({ run }) => run === 'bash .ci/run'))
    expect(testing.map(({ name, may }) => [name, may])).toEqual([
      ['ci.yml: check', { contents: 'read' }],
      ['release.yml: test', { contents: 'read' }],
    ])
  })

  it('give each job what it needs and no more', () => {
    const writes = jobs.map(({ name, may }) => [name, Object.keys(may).filter((key) => may[key] === 'write')])
    expect(Object.fromEntries(writes)).toEqual({
      'ci.yml: check': [],
      'ci.yml: nodes': [],
      'ci.yml: browser': [],
      'release.yml: version': ['contents', 'pull-requests'],
      'release.yml: waiting': [],
      'release.yml: test': [],
      'release.yml: npm': ['id-token'],
      'release.yml: github': ['contents'],
    })
  })

  it('publish what was merged, also where something else was merged right after it', () => {
    const release = workflows.find(({ file }) => file === 'release.yml')
    expect(release?.concurrency).toBeUndefined()
    const queues = Object.entries(release?.jobs ?? {}).map(([name, { concurrency, needs }]) => [
      name,
      concurrency,
      needs,
    ])
    expect(queues).toEqual([
      ['version', 'release-version', undefined],
      ['waiting', undefined, undefined],
      ['test', 'release-test', 'waiting'],
      ['npm', 'release-npm', 'test'],
      ['github', 'release-github', 'npm'],
    ])
  })

  it('publish with provenance, as who they are: without a secret, by an npm that can prove it', () => {
    const npm = find('release.yml: npm')
    expect(npm).toMatchObject({ environment: 'npm', may: { 'id-token': 'write' } })
    // The npm of Node 22 signs the provenance, and knows no trusted publishing.
    const versions = npm?.steps.flatMap((step) => step.with?.['node-version'] ?? [])
    expect(versions?.map((version) => Number(version) >= 24)).toEqual([true])
    const publishing = npm?.steps.find(({ run }) => run?.endsWith(' release:npm'))
    expect(publishing?.env).toEqual({ NPM_CONFIG_PROVENANCE: 'true' })
  })

  it.each(workflows)('$file holds no secret and names no registry', ({ file }) => {
    const text = read(`.github/workflows/${file}`)
    expect(text).not.toMatch(/\bsecrets\b|_authToken|registry-url|registry\./)
  })
})
