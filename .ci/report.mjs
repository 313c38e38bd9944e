/** Reads the test runner's report: which files to repeat, what failed and why, and how many tests passed. */
import { readFileSync } from 'node:fs'

/** With more files than these something is broken, and not the machine busy. */
const MAX_REPEATED = 3
const MESSAGE_LINES = 12

const [command, ...rest] = process.argv.slice(2)

if (command === 'failed-files') {
  const files = failedFiles(read(rest[0]))
  if (files.length <= MAX_REPEATED) for (const file of files) say(file)
} else {
  const [status, report, first] = rest
  tell(status, read(report), read(first))
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults
  } catch {
    return []
  }
}

function failedFiles(results) {
  return [...new Set(results.filter((result) => result.status === 'failed').map((result) => result.name))]
}

/** @param first what was reported before the last report repeated some of its files; empty where nothing was repeated */
function tell(status, last, first) {
  if (last.length === 0) say('no test report: the tests did not run')
  const repeated = new Set(last.map(({ name }) => name))
  const counted = [...first.filter(({ name }) => !repeated.has(name)), ...last]
  for (const result of first) if (repeated.has(result.name)) tellFailures('failed at first, and was repeated', result)
  for (const result of counted) tellFailures('failed', result)

  const tests = counted.flatMap(({ assertionResults }) => assertionResults)
  const count = (...states) => tests.filter((test) => states.includes(test.status)).length
  const passed = count('passed')
  const skipped = count('pending', 'skipped', 'todo')
  const failed = Math.max(count('failed'), failedFiles(counted).length)
  say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exit(status !== '0' || failed > 0 || passed === 0 ? 1 : 0)
}

function tellFailures(what, { name, status: state, message, assertionResults }) {
  const failures = assertionResults.filter((test) => test.status === 'failed')
  for (const { fullName, failureMessages } of failures) {
    say(`\n${what}: ${fullName} (${name})\n${shorten(failureMessages.join('\n'))}`)
  }
  if (state === 'failed' && failures.length === 0) say(`\n${what}: ${name}\n${shorten(message)}`)
}

function shorten(text) {
  const lines = text.split('\n').filter((line) => !line.includes('/node_modules/'))
  return lines.slice(0, MESSAGE_LINES).join('\n')
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
