// usage: node count-tests.mjs REPORT
// Reads what vitest counted: how many passed, and how many did not. A test that is skipped shows nothing, and a file that does not load
// has no test to count: both are failures.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { testResults, numPassedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failed = testResults.flatMap(({ name, status, assertionResults }) => {
  const file = relative(process.cwd(), name)
  const own = assertionResults.filter((one) => one.status === 'failed').map(({ fullName }) => `${file} > ${fullName}`)
  return own.length === 0 && status === 'failed' ? [file] : own
})
for (const one of failed) console.error(`failed: ${one}`)
console.log(numPassedTests, failed.length + numPendingTests + numTodoTests)
