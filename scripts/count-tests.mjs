// usage: node count-tests.mjs files REPORT | count REPORT [AGAIN]
// Reads what vitest counted. A test that is skipped shows nothing, and a file that does not load has no test to count: both are
// failures. A test that failed beside all others, and passes when its file runs once more alone, has passed; it is named.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More than these are no accident. */
const mostFiles = 8

const [what, first, second] = process.argv.slice(2)
const report = read(first)
if (what === 'files') {
  const files = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  if (files.length <= mostFiles) for (const file of files) console.log(file)
} else {
  const again = existsSync(second ?? '') ? read(second) : { testResults: [] }
  const late = new Set(named(again, 'passed'))
  const failed = named(report, 'failed')
  const passedLater = failed.filter((test) => late.has(test))
  const broken = [...(again.testResults.length > 0 ? again : report).testResults].filter(isBroken)
  for (const test of passedLater) console.error(`passed only when run once more, alone: ${test}`)
  for (const test of failed.filter((test) => !late.has(test))) console.error(`failed: ${test}`)
  const { numPassedTests, numPendingTests, numTodoTests } = report
  const stillFailed = failed.length - passedLater.length + broken.length
  console.log(numPassedTests + passedLater.length, stillFailed + numPendingTests + numTodoTests)
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function named({ testResults }, wanted) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === wanted)
      .map(({ fullName }) => `${relative(process.cwd(), name)} > ${fullName}`),
  )
}

function isBroken({ status, assertionResults }) {
  return status === 'failed' && assertionResults.every((one) => one.status !== 'failed')
}
